"""SG2002 of Sophgo: a decoder whose modules run on the TPU of a small Linux board."""
