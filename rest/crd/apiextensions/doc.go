// Package apiextensions declares the kind CustomResourceDefinition of the group apiextensions.k8s.io, without a
// dependency on Kubernetes.
//
//	api, err := rest.New(rest.Options{}, apiextensions.CustomResourceDefinitions(apiextensions.Checks{}))
//
// The API then stores definitions, fills in what is missing, and refuses invalid definitions for the reasons and in the
// words of kube-apiserver. It does not serve the kinds that the definitions describe; package crd does.
package apiextensions
