// cluster.mjs uses the client of Kubernetes for Node.js with kinds of Kubernetes. The argument is a kubeconfig.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(k8s.CoreV1Api);
const namespace = 'node';
await core.createNamespace({ body: { metadata: { name: namespace } } });
for (const name of ['a', 'b', 'c']) {
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { app: 'shop' } }, data: { name } } });
}
const first = await core.listNamespacedConfigMap({ namespace, limit: 2, labelSelector: 'app=shop' });
const rest = await core.listNamespacedConfigMap({ namespace, limit: 2, labelSelector: 'app=shop', _continue: first.metadata._continue });
assert.deepEqual([...first.items, ...rest.items].map((m) => m.data.name), ['a', 'b', 'c']);

await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'token' }, stringData: { token: 'abc' } } });
assert.equal((await core.readNamespacedSecret({ namespace, name: 'token' })).data.token, 'YWJj');
const pod = await core.createNamespacedPod({ namespace, body: { metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } } });
assert.equal(pod.spec.containers[0].imagePullPolicy, 'Always'); // a default
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
await objects.patch({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace }, data: { more: 'yes' } });
assert.deepEqual((await core.readNamespacedConfigMap({ namespace, name: 'a' })).data, { name: 'a', more: 'yes' });

const apps = config.makeApiClient(k8s.AppsV1Api);
const labels = { app: 'web' };
await apps.createNamespacedDeployment({
  namespace,
  body: { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod.spec } } },
});
await objects.patch({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec: { replicas: 2 } });
assert.equal((await apps.readNamespacedDeploymentScale({ namespace, name: 'web' })).spec.replicas, 2);
const review = await config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({
  body: { spec: { resourceAttributes: { verb: 'delete', resource: 'pods', namespace } } },
});
assert.equal(review.status.allowed, true);

const events = [];
await new Promise((resolve, reject) => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  new k8s.Watch(config).watch(path, { fieldSelector: 'metadata.name=b' }, (type) => {
    events.push(type);
    if (type === 'ADDED') core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'app=shop' }).catch(reject);
    if (type === 'DELETED') resolve();
  }, reject);
});
assert.deepEqual(events, ['ADDED', 'DELETED']);
assert.equal((await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=shop' })).items.length, 0);
await assert.rejects(core.readNamespacedPod({ namespace, name: 'none' }), (e) => e.code === 404);
console.log('passed');
process.exit(0);
