# The action's image: one static binary, certificates, and a /tmp.
#
#   docker build -t familiar .                       builds the binary as well
#   docker build -t familiar --target prebuilt .     takes bin/action as it is
#
# The second needs no base image from a registry.

FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/action ./cmd/action \
 && mkdir -p /out/root/tmp && chmod 1777 /out/root/tmp \
 && cp /etc/ssl/certs/ca-certificates.crt /out/

# From binaries that were built outside: bin/action, bin/ca-certificates.crt
# and an empty bin/root/tmp with mode 1777 (make image); what is in a copied
# folder keeps its mode, the folder itself does not.
FROM scratch AS prebuilt
COPY bin/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY bin/root/ /
COPY bin/action /action
ENTRYPOINT ["/action"]

# What a release pushes (.ci/release): the same, with the licences of what is
# in the binary.
FROM prebuilt AS release
COPY bin/NOTICES.txt /NOTICES.txt

# What action.yml builds. GitHub says to stay root in a container action.
FROM scratch
COPY --from=build /out/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/root/ /
COPY --from=build /out/action /action
ENTRYPOINT ["/action"]
