# The operator in a distroless image: Node, one bundled program, nothing else. It runs as user 65532 and writes no files.
FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
COPY visualizations/package.json visualizations/
RUN npm ci --no-audit --no-fund
COPY . .
# The checkout is not in the image: docker build --build-arg COMMIT="$(git rev-parse HEAD)" .
ARG COMMIT=
RUN COMMIT="$COMMIT" npm run build

FROM gcr.io/distroless/nodejs22-debian12:nonroot
COPY --from=build /source/package.json /operator/
COPY --from=build /source/dist/ /operator/
COPY --from=build --chmod=755 /source/deploy/image/manager /manager
USER 65532:65532
EXPOSE 8443 9440 9443
ENTRYPOINT ["/manager"]
