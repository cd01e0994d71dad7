"""
Upstream's `vector`: xDSL's with the ops that it lacks.

    %s = vector.multi_reduction <add>, %v, %zeros [1] : vector<4x8xf32> to vector<4xf32>
    %t = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<8x4xf32>

Vectors of fixed extents are arrays for the interpreter. Syntax and meaning are upstream's:
https://mlir.llvm.org/docs/Dialects/Vector/.
"""

from __future__ import annotations

from xdsl.dialects.vector import Vector

from ..core.extended import extended
from .elements import ExtractElementOp, InsertElementOp, StepOp, VectorFromElementsOp, VectorSplatOp
from .masks import ConstantMaskOp, MaskOp, PunctuationAttr, VectorPrintOp, VectorYieldOp, WarpExecuteOnLane0Op
from .memory import CompressStoreOp, ExpandLoadOp, TypeCastOp, VectorGatherOp, VectorScatterOp
from .slices import (
    DeinterleaveOp,
    ExtractStridedSliceOp,
    FlatTransposeOp,
    InsertStridedSliceOp,
    InterleaveOp,
    ScalableExtractOp,
    ScalableInsertOp,
    VectorReshapeOp,
    VectorScaleOp,
    VectorShapeCastOp,
    VectorTransposeOp,
)
from .sums import ContractOp, MatrixMultiplyOp, MultiReductionOp, OuterProductOp, ScanOp, VectorIteratorAttr

VECTOR = extended(
    Vector,
    [
        *(ExtractElementOp, InsertElementOp, StepOp, VectorFromElementsOp, VectorSplatOp),
        *(ConstantMaskOp, MaskOp, VectorPrintOp, VectorYieldOp, WarpExecuteOnLane0Op),
        *(CompressStoreOp, ExpandLoadOp, TypeCastOp, VectorGatherOp, VectorScatterOp),
        *(DeinterleaveOp, ExtractStridedSliceOp, FlatTransposeOp, InsertStridedSliceOp, InterleaveOp),
        *(ScalableExtractOp, ScalableInsertOp, VectorReshapeOp, VectorScaleOp, VectorShapeCastOp, VectorTransposeOp),
        *(ContractOp, MatrixMultiplyOp, MultiReductionOp, OuterProductOp, ScanOp),
    ],
    [PunctuationAttr, VectorIteratorAttr],
)
