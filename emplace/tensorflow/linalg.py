"""`tf.linalg`."""

from ..ops.linalg.decomposition import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    expm,
    logm,
    lu,
    qr,
    sqrtm,
    svd,
)
from ..ops.linalg.diagonal import (
    band_part,
    diag,
    diag_part,
    eye,
    set_diag,
    tensor_diag,
    tensor_diag_part,
    trace,
)
from ..ops.linalg.einsum import (
    einsum,
    tensordot,
)
from ..ops.linalg.norms import (
    cross,
    matrix_rank,
    norm,
    normalize,
    pinv,
)
from ..ops.linalg.products import (
    adjoint,
    matmul,
    matrix_transpose,
    matvec,
)
from ..ops.linalg.solving import (
    cholesky_solve,
    det,
    inv,
    logdet,
    lstsq,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    slogdet,
    solve,
    triangular_solve,
)
from ..ops.linalg.tridiagonal import (
    banded_triangular_solve,
    tridiagonal_matmul,
    tridiagonal_solve,
)
from ..ops.math.clipping import (
    global_norm,
)
from ..ops.nn.moments import (
    l2_normalize,
)
