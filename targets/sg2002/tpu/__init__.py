"""Modules of a decoder on the TPU: artefacts behind the interface of hmp's NPUs."""
