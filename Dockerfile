# One stage builds the virtual environment, the other runs it as a user without rights.
#
#   docker build -t tritonchat .
#   docker run -p 8080:8080 -e TRITONCHAT_API_KEY=secret -v tritonchat:/data tritonchat

FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY model_core model_core
COPY triton_server triton_server
COPY streamlit_client streamlit_client
RUN python3 -m venv /opt/tritonchat \
    && /opt/tritonchat/bin/pip install --no-cache-dir -c constraints.txt '.[postgresql,tracing,mcp]'

FROM debian:bookworm-slim
# Triton's Python backend loads the library of Python.
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 libpython3.11 ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --home-dir /home/tritonchat tritonchat \
    && install -d -o tritonchat -g tritonchat /data
COPY --from=build /opt/tritonchat /opt/tritonchat
# Sessions, saved prompts, downloaded models, and the kernels that are compiled at the first start: they depend
# on the processor, so they cannot be compiled here.
ENV PATH=/opt/tritonchat/bin:$PATH XDG_DATA_HOME=/data XDG_CACHE_HOME=/data/cache HF_HOME=/data/models
VOLUME /data
USER tritonchat
EXPOSE 8080
# The health check reads the settings from the variables, which docker run -e sets for both: TRITONCHAT_API_PORT, ...
ENV TRITONCHAT_HOST=0.0.0.0
HEALTHCHECK --interval=10s --timeout=10s --start-period=10m CMD ["tritonchat", "health"]
ENTRYPOINT ["tritonchat"]
CMD ["serve"]
