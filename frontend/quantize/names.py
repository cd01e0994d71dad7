"""Names of options of quantisation, apart from what they import."""

RANGES = ("minmax", "percentile", "wide-percentile", "mse", "entropy")
FORMS = ("qdq", "qlinear")
NONLINEAR = ("float", "integer", "ibert")
