// Package validate answers what an API would answer to the objects in files, before anybody sends them:
//
//	api, err := rest.New(rest.Options{}, widgets, gadgets) // keeps its objects in memory
//	validator := validate.New(api, validate.Options{})
//	results, err := validator.Validate(ctx, validate.Input{Manifests: validate.Read("widgets.yaml", text)})
//	validate.WriteText(os.Stdout, results)
//
// Each object is sent to the API as a create or an update with dryRun=All and fieldValidation=Strict. So every answer
// is that of the write pipeline: schema, unknown fields, rules in CEL with their costs, names, defaults, hooks,
// admission policies, and, for an object whose former state is known, what an update may not change. The package adds
// the line of the field at fault.
//
// The API needs no socket and no client. It serves nobody else, because the objects on which others depend are created
// in it: definitions, namespaces, policies and their parameters.
//
// Program k8s/kubeapi/validate does this for the kinds of Kubernetes.
package validate
