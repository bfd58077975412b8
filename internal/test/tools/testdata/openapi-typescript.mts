// A program with the types that openapi-typescript generates from the documents of examples/quickstart and of
// k8s/kubeapi. The argument is the address of the host.
import createClient from "openapi-fetch";
import type { components as Apps } from "./apps.ts";
import type { components, paths } from "./platform.ts";

type Database = components["schemas"]["com.example.platform.v1.Database"];
type Deployment = Apps["schemas"]["io.k8s.api.apps.v1.Deployment"];

export const web: Deployment = {
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
};
export const wrong: Database = {
  apiVersion: "platform.example.com/v1",
  kind: "Database",
  // @ts-expect-error: the enum of the host has no such engine
  spec: { engine: "oracle" },
};

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] });
const all = "/apis/platform.example.com/v1/namespaces/{namespace}/databases";
const one = "/apis/platform.example.com/v1/namespaces/{namespace}/databases/{name}";
const namespace = "default";
const path = { namespace, name: "orders" };

const body: Database = {
  apiVersion: "platform.example.com/v1", kind: "Database", metadata: { name: path.name }, spec: { engine: "postgres" },
};
const created = await client.POST(all, { params: { path: { namespace } }, body });
const listed = await client.GET(all, { params: { path: { namespace }, query: { limit: 1 } } });
const patched = await client.PATCH(one, {
  params: { path },
  headers: { "Content-Type": "application/merge-patch+json" },
  body: { spec: { replicas: 3 } } as never,
});
const deleted = await client.DELETE(one, { params: { path } });
const read = await client.GET(one, { params: { path } });
const seen = [
  created.response.status, created.data?.spec.replicas, listed.data?.items.map((d) => d.spec.engine).join(),
  patched.data?.spec.replicas, deleted.response.status, read.response.status,
].join(" ");
if (seen !== "201 1 postgres 3 200 404") throw new Error(seen);
console.log("passed");
