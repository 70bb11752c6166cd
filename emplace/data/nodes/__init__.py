"""The steps of pipelines, by what they do with elements."""
