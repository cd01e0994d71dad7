"""
The training of `klm-small`: `python -m tilewright.frontend.zoo.train_klm --text FILE... --out weights.npz`.

It needs PyTorch, which is no dependency of Tilewright: `pip install torch --index-url
https://download.pytorch.org/whl/cpu` is enough. `texts.py` writes the texts of the weights that the package holds.
"""
