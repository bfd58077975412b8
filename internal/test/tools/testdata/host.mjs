// host.mjs uses the client of Kubernetes for Node.js with the kind and the namespaces of examples/quickstart.
// The argument is the address of the host.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
config.loadFromClusterAndUser({ name: 'host', server: process.argv[2], skipTLSVerify: true }, { name: 'me' });
const group = { group: 'platform.example.com', version: 'v1', namespace: 'default', plural: 'databases' };
const database = (name, spec) =>
  ({ apiVersion: 'platform.example.com/v1', kind: 'Database', metadata: { name, namespace: 'default' }, spec });

assert.match((await config.makeApiClient(k8s.VersionApi).getCode()).gitVersion, /^v1\./);
const namespaces = await config.makeApiClient(k8s.CoreV1Api).listNamespace();
assert.deepEqual(namespaces.items.map((n) => n.metadata.name), ['default']);
assert.ok(namespaces.items[0].metadata.creationTimestamp instanceof Date);

const databases = config.makeApiClient(k8s.CustomObjectsApi);
const list = () => databases.listNamespacedCustomObject(group);
const seen = new Map(); // the phases of each object, as the informer reports them
const informer = k8s.makeInformer(config, '/apis/platform.example.com/v1/namespaces/default/databases', list);
const ready = new Promise((resolve, reject) => {
  informer.on('error', reject);
  informer.on('add', (o) => seen.set(o.metadata.name, ['add']));
  informer.on('update', (o) => {
    seen.get(o.metadata.name).push('update');
    if (o.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True')) resolve();
  });
});
const deleted = new Promise((resolve) => informer.on('delete', resolve));
await informer.start();
const created = await databases.createNamespacedCustomObject({ ...group, body: database('orders', { engine: 'postgres' }) });
assert.equal(created.spec.replicas, 1); // a default
await ready;
assert.deepEqual(seen.get('orders').slice(0, 2), ['add', 'update']);

const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const applied = await objects.patch(database('orders', { engine: 'postgres', replicas: 3 }), undefined, undefined, 'script',
  true, k8s.PatchStrategy.ServerSideApply);
assert.equal(applied.spec.replicas, 3);
const merged = await objects.patch(database('orders', { storageGiB: 20 }), undefined, undefined, undefined, undefined,
  k8s.PatchStrategy.MergePatch);
assert.deepEqual([merged.spec.replicas, merged.spec.storageGiB], [3, 20]);
assert.equal((await objects.read(merged)).metadata.uid, created.metadata.uid);
assert.equal((await objects.list('platform.example.com/v1', 'Database', 'default')).items.length, 1);
await assert.rejects(objects.create(database('x', { engine: 'oracle' })), (e) => {
  assert.equal(e.code, 422);
  assert.match(JSON.parse(e.body).message, /Unsupported value: "oracle"/);
  return true;
});

await databases.deleteNamespacedCustomObject({ ...group, name: 'orders' });
await deleted;
await informer.stop();
await assert.rejects(objects.read(merged), (e) => e.code === 404);
console.log('passed');
