// Package transaction serves transactions over HTTP: a client sends a list of objects, and the API stores all of them
// or none. It is an extension, which Kubernetes does not have. [rest.API.Transact] does the same for Go programs.
//
// A client POSTs a v1 List, in JSON or YAML, to [Path]:
//
//	kubectl create --raw '/extensions/transactions?fieldManager=me' -f list.yaml
//
// An object with a metadata.resourceVersion replaces the stored one, which must have this version (PUT). An object with
// a generateName and without a name is created (POST). Every other object is applied (API concepts, Server-Side Apply).
// They are written in the order of the list, and each sees those before it, such as its namespace. An object of a
// namespaced kind without a namespace belongs to the namespace "default".
//
// Each object is a request of its own: it is authorized, validated, admitted, observed, audited and charged to quotas.
// The user must also have the right to post to the path; rbac grants it with nonResourceURLs. All these requests have
// the user, the audit ID and the place of the transaction.
//
// The parameters are dryRun, fieldManager, fieldValidation and force. They hold for each object. The field manager of a
// client that names none is the beginning of its User-Agent. With dryRun=All nothing is stored, but each object still
// sees those before it.
//
// The answer is the List of the objects as stored, with their resourceVersions, in the same order. If an object is
// refused, nothing is stored, and the answer is a Status with a cause for each refused object. The cause names the
// place of the object in the list, and says what the answer to its request alone would say. So a transaction reveals
// nothing that its user could not find out without it. The code is that of the first refused object.
//
// If other clients change the objects meanwhile, the transaction begins again, at most 16 times, and then fails with
// 409 Conflict. The requests of an attempt that is repeated or refused are observed and audited too; what became of
// them is in the answer of the transaction.
//
// A list has at most 100 objects and [rest.Limits].MaxBodyBytes. A transaction has the time limit of one write,
// [rest.API.RequestTimeout]. The answer takes twice its size from [rest.Limits].Budget before the commit. If the Budget
// has no room for it, the transaction stores nothing, and gets 429 or 413.
//
// This package may change until v1.1 (docs/stability.md).
package transaction
