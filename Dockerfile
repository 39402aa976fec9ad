# Serves a model file: docker build -t picrules . && docker run -p 8000:8000 -v "$PWD:/models:ro" picrules
# The token that the page asks for is in the log of the container.
FROM python:3.13-slim
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN pip install --no-cache-dir "/source[web]" && rm -r /source \
 && useradd --create-home --uid 10001 picrules
USER picrules
# Kernels are compiled once, into a folder that the user may write.
ENV NUMBA_CACHE_DIR=/home/picrules/kernels
WORKDIR /models
EXPOSE 8000
# The first start compiles, and reads the model.
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["picrules", "serve", "--host", "0.0.0.0"]
CMD ["model.pic"]
