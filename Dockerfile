# Container image of Fillbook: the static program, its license and an empty data
# directory. There is no base image, no shell and no package manager.
#
#   make image
#   docker run --read-only -v fillbook-data:/data -p 127.0.0.1:8080:8080 fillbook
#
# root.tar is written by scripts/release with the program that make release packs
# for the platform. /data in it belongs to user 10001.

FROM scratch
ADD root.tar /

# Restore unpacks into TMPDIR. It is in the volume because the root file system
# may be mounted read-only.
ENV SVC_HTTP_ADDR=0.0.0.0:8080 \
    SVC_DATA_DIR=/data \
    TMPDIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s --retries=3 CMD ["/fillbook", "healthcheck"]
ENTRYPOINT ["/fillbook"]
CMD ["serve"]
