package metrics_test

const (
	noReload  = "the host makes the configuration in Go, and nothing reloads it from a file"
	noSubject = "nothing corresponds to it here"
)

// omitted are the stable and the beta metrics of kube-apiserver that the module does not have, and why.
var omitted = map[string]string{
	"apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds": noReload,
	"apiserver_authentication_config_controller_automatic_reloads_total":                 noReload,
	"apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds":  noReload,
	"apiserver_authorization_config_controller_automatic_reloads_total":                  noReload,
	"apiserver_cel_compilation_duration_seconds":                                         "rules are compiled before requests, when a kind is declared",
	"apiserver_validation_declarative_validation_mismatch_total":                         noSubject,
	"apiserver_validation_declarative_validation_panic_total":                            noSubject,
}
