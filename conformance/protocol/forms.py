"""Forms of functions by their rarer options.

A form has a word of its own, so that a library may have a function without all of its options. What
a form does not say is as in the function that its word begins with.
"""

FORMS = {
    # ---- reductions ------------------------------------------------------------------------------
    "prod_keepdim": "prod(x, dim, keepdim)",
    "max_keepdim": "max(x, dim, keepdim): values and places",
    "min_keepdim": "min(x, dim, keepdim): values and places",
    "median_keepdim": "median(x, dim, keepdim): values and places",
    "mode_keepdim": "mode(x, dim, keepdim): values and places",
    "nanmedian_keepdim": "nanmedian(x, dim, keepdim): values and places",
    "aminmax_all": "aminmax(x): the smallest and the largest entry of all",
    "nansum_all": "nansum(x): of all that is a number",
    "nanmean_all": "nanmean(x): of all that is a number",
    "all_several": "all(x, dims, keepdim)",
    "any_several": "any(x, dims, keepdim)",
    "count_nonzero_several": "count_nonzero(x, dims)",
    "topk_unsorted": "topk(x, k, dim, largest, sorted=False): in any order, with places",
    "argsort_stable": "argsort(x, stable=True, dim, descending)",
    "var_all": "var(x, dim=None, correction, keepdim): of all entries",
    "std_all": "std(x, dim=None, correction, keepdim): of all entries",
    "var_unbiased": "var(x, dim, unbiased, keepdim): with a correction of 1 or of 0",
    "std_unbiased": "std(x, dim, unbiased, keepdim): with a correction of 1 or of 0",
    "quantile_all": "quantile(x, q, keepdim=False, interpolation): of all entries",
    "cov_weighted": "cov(x, correction, fweights, aweights): columns that count more than once",
    "diff_ends": "diff(x, n, dim, prepend, append): of x between two other tensors",
    "trapezoid_places": "trapezoid(y, x, dim): above the places x",
    "cumulative_trapezoid_places": "cumulative_trapezoid(y, x, dim): above the places x",
    "gradient_edges": "gradient(x, spacing, dim, edge_order=2), in a list: parabolas at the ends",
    "gradient_several": "gradient(x, spacing, dims), in a list: a slope for each axis",
    "isclose_within": "isclose(x, y, rtol, atol, equal_nan): |x - y| <= atol + rtol * |y|",
    "searchsorted_rows": "searchsorted(x, y, side, sorter): in each row, ordered by sorter",
    "vector_norm_orders": "vector_norm of order 0, the number of entries that are not 0, or below",
    "cdist_orders": "cdist of order 0, the number of entries that differ, or of another",
    # ---- matrices --------------------------------------------------------------------------------
    "addmm_nothing": "addmm with beta=0, which ignores the summand even where it is no number",
    "baddbmm_nothing": "baddbmm with beta=0, which ignores the summand even where it is no number",
    "addbmm_nothing": "addbmm with beta=0, which ignores the summand even where it is no number",
    "addmv_nothing": "addmv with beta=0, which ignores the summand even where it is no number",
    "addr_nothing": "addr with beta=0, which ignores the summand even where it is no number",
    "cross_along": "linalg.cross(x, y, dim)",
    "linear_plain": "linear without a bias",
    "bilinear_bias": "bilinear with a bias",
    "cholesky_solve_upper": "cholesky_solve(b, upper factor, upper=True)",
    "cholesky_inverse_upper": "cholesky_inverse(upper factor, upper=True)",
    "lu_solve_sides": "linalg.lu_solve(factors, exchanges, b, left, adjoint)",
    "pinv_hermitian": "pinv(x, hermitian=True)",
    "pinv_cut": "pinv(x, rtol): without the singular values below rtol times the largest",
    "qr_wide": "qr of a matrix with more columns than rows",
    "qr_factor": "qr(x, mode='r'): nothing, and the triangular factor",
    "qr_complete": "qr(x, mode='complete'): square, and one with rows of zeros",
    "svd_thin": "svd(x, full_matrices=False)",
    "eigh_upper": "eigh(x, UPLO='U'): by the upper triangle alone",
    "eigvalsh_upper": "eigvalsh(x, UPLO='U'): by the upper triangle alone",
    "matrix_norm_along": "matrix_norm(x, order, dims, keepdim)",
    "cond_order": "cond(x, order): the norm of x times that of its inverse",
    "cond_singular": "cond(x, order) of the orders 'nuc', 2 and -2, which are of singular values",
    "lstsq_driver": "lstsq(a, b, driver): however it is computed",
    "tensorinv_several": "tensorinv(x, ind) where several axes are mapped to one",
    "solve_vector": "solve(a, b) of a vector b",
}
"""Every form, and what it is."""

SEVERAL_OF_FORMS = """
max_keepdim min_keepdim median_keepdim mode_keepdim nanmedian_keepdim aminmax_all topk_unsorted
gradient_edges gradient_several qr_wide qr_factor qr_complete svd_thin eigh_upper lstsq_driver
"""
"""Forms that return several tensors."""
