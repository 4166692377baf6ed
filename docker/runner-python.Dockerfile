# An image that works like the one set-up builds from Debian's packages, for hosts that have none. It has a digest of its own
# (docs/runner-image.md). Build context: this file as Dockerfile, and orchestrator/verifier-runner/image/hold.py.
FROM debian:bookworm-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-pytest \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && python3 -m compileall -q --invalidation-mode unchecked-hash -x '/(test|idlelib|lib2to3|ensurepip)/' /usr/lib/python3*

RUN printf 'root:x:0:\nnogroup:x:65534:\nrunner:x:65532:\n' > /etc/group \
 && printf 'root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nrunner:x:65532:65532:runner:/nonexistent:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' > /etc/passwd \
 && ln -s python3 /usr/bin/python \
 && mkdir -p /in /input /job /work /out /result /usr/local/lib/afg \
 && chown 65532:65532 /work /out /result

COPY hold.py /usr/local/lib/afg/hold
RUN chmod 0755 /usr/local/lib/afg/hold

LABEL org.opencontainers.image.title="runner-python"
ENV PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 LC_ALL=C.UTF-8 HOME=/nonexistent PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
WORKDIR /work
CMD []
