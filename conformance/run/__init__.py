"""How claims are run: options, backends as they are loaded, one claim on one subject, the report.

`session` is what one run knows. A claim on a subject is a `question`; `examples` chooses what it
meets, `runner` runs it, `judging` gives the verdict, `state` sees that it leaves nothing behind,
`expectations` knows what is red already. What a claim may do to its process is `processes`' affair.
"""
