"""
One walk of the explicit level: kernels and transfers on buffers, loops, and index arithmetic.

`compile.py` turns the control flow of a function into Python code, with index arithmetic and a call of a client
(`client.py`) for each event (`steps.py`). Which event an op is follows from the effects that it declares (`events.py`).
"""
