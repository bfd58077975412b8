// Package credentials keeps the credentials of an API in files: the tokens of people, and the keys that sign the
// tokens of service accounts.
//
//	people, err := credentials.OpenTokens("/etc/platform/tokens.yaml")
//	keys, err := credentials.Keys("/var/lib/platform/accounts.pem")
//	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com", Keys: keys})
//
// A change of the tokens counts without a restart. Package rest itself reads no files.
package credentials
