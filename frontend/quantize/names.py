"""Names of options of quantisation, apart from what they import."""

RANGES = ("minmax", "percentile", "wide-percentile", "mse", "entropy")
FORMS = ("qdq", "qlinear", "requant-shift")
NONLINEAR = ("float", "integer", "ibert")
