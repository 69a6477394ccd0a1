"""Reports of differences of tools: text, Markdown, GitHub annotations, JUnit XML, and a web page."""
