// Package imagepolicy holds the admission plugin ImagePolicyWebhook: a server outside, which the operator names in a
// kubeconfig file, decides about the images of Pods.
package imagepolicy
