"""What the engine costs against what is possible at least. `python -m tests.bench --help`."""
