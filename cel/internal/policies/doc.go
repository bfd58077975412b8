// Package policies tests package rest/policy with module cel, which the core cannot import.
package policies
