"""`tf.linalg`."""

from ..ops.clipping import (
    global_norm,
)
from ..ops.decomposition import (
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
from ..ops.diagonal import (
    band_part,
    diag,
    diag_part,
    eye,
    set_diag,
    tensor_diag,
    tensor_diag_part,
    trace,
)
from ..ops.einsum import (
    einsum,
    tensordot,
)
from ..ops.linalg import (
    adjoint,
    matmul,
    matrix_transpose,
    matvec,
)
from ..ops.norms import (
    cross,
    matrix_rank,
    norm,
    normalize,
    pinv,
)
from ..ops.solving import (
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
from ..ops.tridiagonal import (
    banded_triangular_solve,
    tridiagonal_matmul,
    tridiagonal_solve,
)
