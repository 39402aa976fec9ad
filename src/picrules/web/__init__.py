"""The local web app: pages for people, and a REST interface for programs."""
