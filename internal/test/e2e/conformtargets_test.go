package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// These hosts are conformhost at the root of a server, and below a path, as an application would mount it.
var (
	rootHost   = host{program: "conformhost", namespaces: true}
	prefixHost = host{program: "conformhost", namespaces: true, args: []string{"--prefix=/p"}}
)

// conformTargets returns the kinds of conformhost, for both ways to mount it.
func conformTargets() []target {
	return []target{{
		group: "example.com", kind: "Widget", plural: "widgets", short: "wd", all: true, older: true,
		full:  `spec: {size: 5, color: blue, owner: me, parts: [{name: a, count: 2}]}`,
		bare:  `spec: {size: 5, owner: me}`,
		other: `spec: {size: 6, owner: you}`,
		wrong: `spec: {size: 500}`, complaint: "spec.size: Invalid value: 500",
		typo: `spec: {size: 5, sise: 1}`, unknown: "spec.sise",
		selector: "spec.owner=me", list: ".spec.parts", element: "/spec/parts/0",
		field: ".spec.color", set: "blue", unset: "red", change: `{"spec":{"color":"green"}}`, changed: "green",
		heading: []string{"NAME", "SIZE", "COLOR", "PHASE", "AGE"}, wide: "OWNER",
		nested:      "spec.parts.count",
		explainsAll: []string{"parts", "settings", "lastTransitionTime"},
		described:   []string{"Size:", "Parts:"},
		ready: func(t *testing.T, s *server, name string) {
			setStatus(t, s, "widgets", name, `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
		},
	}, {
		kind: "ConfigMap", plural: "configmaps", short: "cm", builtin: true, older: true,
		full:  `data: {colour: red, size: large}`,
		bare:  `data: {colour: red}`,
		other: `data: {colour: blue}`,
		wrong: `data: {colour: 1}`, complaint: "cannot unmarshal number into Go struct field ConfigMap.data",
		typo: `dada: {}`, unknown: "dada",
		list: ".data.size", element: "/data/size",
		field: ".data.size", set: "large", change: `{"data":{"size":"small"}}`, changed: "small",
		heading: []string{"NAME", "DATA", "AGE"},
		doc:     "ConfigMap holds configuration data",
		nested:  "binaryData", nestedDoc: "BinaryData contains the binary data.",
		explainsAll: []string{"immutable", "ownerReferences"},
		described:   []string{"colour:", "large"},
	}, {
		kind: "ServiceAccount", plural: "serviceaccounts", short: "sa", builtin: true, older: true,
		full:      "secrets: [{name: key}]\nautomountServiceAccountToken: false",
		bare:      "",
		other:     `imagePullSecrets: [{name: pull}]`,
		wrong:     `automountServiceAccountToken: "no"`,
		complaint: "cannot unmarshal string into Go struct field ServiceAccount.automountServiceAccountToken of type bool",
		typo:      `secrets: [{nom: key}]`, unknown: "secrets[0].nom",
		list: ".secrets", element: "/secrets/0",
		field: ".automountServiceAccountToken", set: "false", change: `{"automountServiceAccountToken":true}`,
		changed: "true",
		heading: []string{"NAME", "AGE"},
		doc:     "ServiceAccount binds together",
		nested:  "secrets.fieldPath", nestedDoc: "If referring to a piece of an object",
		explainsAll: []string{"imagePullSecrets", "fieldPath"},
		described:   []string{"Image pull secrets:"},
	}, {
		group: "coordination.k8s.io", kind: "Lease", plural: "leases", builtin: true, createOnUpdate: true,
		full:  `spec: {holderIdentity: me, leaseDurationSeconds: 15, renewTime: "2024-01-02T03:04:05.000006Z"}`,
		bare:  `spec: {leaseDurationSeconds: 15}`,
		other: `spec: {leaseTransitions: 1}`,
		wrong: `spec: {leaseDurationSeconds: long}`, complaint: "spec.leaseDurationSeconds of type int32",
		typo: `spec: {holder: me}`, unknown: "spec.holder",
		list: ".spec.renewTime", element: "/spec/renewTime",
		field: ".spec.holderIdentity", set: "me", change: `{"spec":{"holderIdentity":"you"}}`, changed: "you",
		heading: []string{"NAME", "HOLDER", "AGE"},
		doc:     "Lease defines a lease concept",
		nested:  "spec.renewTime", nestedDoc: "renewTime is a time when the current holder",
		explainsAll: []string{"leaseTransitions", "renewTime"},
		described:   []string{"Holder", "Identity:"},
	}, {
		kind: "Node", plural: "nodes", short: "no", builtin: true, cluster: true,
		full:  `spec: {podCIDR: 10.0.0.0/24, unschedulable: true, taints: [{key: a, value: b, effect: NoSchedule}]}`,
		bare:  `spec: {podCIDR: 10.0.0.0/24}`,
		other: `spec: {podCIDR: 10.0.1.0/24}`,
		wrong: `spec: {unschedulable: "no"}`, complaint: "spec.unschedulable of type bool",
		typo: `spec: {podCIDRz: []}`, unknown: "spec.podCIDRz",
		list: ".spec.taints", element: "/spec/taints/0",
		field: ".spec.unschedulable", set: "true", change: `{"spec":{"unschedulable":false}}`,
		heading: []string{"NAME", "STATUS", "ROLES", "AGE", "VERSION"}, wide: "INTERNAL-IP",
		doc:    "Node is a worker node",
		nested: "spec.taints.effect", nestedDoc: "The effect of the taint on pods",
		explainsAll: []string{"allocatable", "lastHeartbeatTime"},
		ready: func(t *testing.T, s *server, name string) {
			setStatus(t, s, "nodes", name, `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
		},
	}}
}

// setStatus writes a status, as the kind's controller would.
func setStatus(t *testing.T, s *server, plural, name, patch string) {
	t.Helper()
	out := s.run(t, "patch", plural, name, "--subresource=status", "--type=merge", "-p", patch)
	assert.Contains(t, out, "/"+name+" patched\n")
}
