# Fillbook in an image that holds one program and nothing else: no shell, no
# package manager, no user but its own. The page is built and committed, so only
# Go is needed here.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t fillbook .
#   docker run --read-only -v fillbook-data:/data -p 127.0.0.1:8080:8080 fillbook

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/fillbook ./cmd/fillbook \
    && mkdir /out/data

FROM scratch
COPY --from=build /src/LICENSE /LICENSE
# For a PostgreSQL server whose certificate is checked; nothing else is called.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/fillbook /fillbook
COPY --from=build --chown=10001:10001 --chmod=0700 /out/data /data

# TMPDIR is where restore unpacks: the root file system may be read-only.
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
