"""Reports of differences, histories and matrices: text, Markdown, GitHub annotations, JUnit XML."""
