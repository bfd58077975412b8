package metrics_test

// present are the metrics of kube-apiserver that the module has.
var present = []string{
	"apiserver_admission_controller_admission_duration_seconds",
	"apiserver_admission_step_admission_duration_seconds",
	"apiserver_admission_webhook_admission_duration_seconds",
	"apiserver_admission_webhook_fail_open_count",
	"apiserver_admission_webhook_rejection_count",
	"apiserver_admission_webhook_request_total",
	"apiserver_authorization_decisions_total",
	"apiserver_current_inflight_requests",
	"apiserver_flowcontrol_current_executing_requests",
	"apiserver_flowcontrol_current_executing_seats",
	"apiserver_flowcontrol_current_inqueue_requests",
	"apiserver_flowcontrol_dispatched_requests_total",
	"apiserver_flowcontrol_nominal_limit_seats",
	"apiserver_flowcontrol_rejected_requests_total",
	"apiserver_flowcontrol_request_wait_duration_seconds",
	"apiserver_longrunning_requests",
	"apiserver_request_duration_seconds",
	"apiserver_request_total",
	"apiserver_response_sizes",
	"apiserver_watch_events_total",
}

const (
	noReload   = "the host makes the configuration in Go, and nothing reloads it from a file"
	noCount    = "the store does not report it"
	noQueue    = "package rest/controller does not report it"
	noPolicies = "package rest/policy does not report it"
	noSubject  = "nothing corresponds to it here"
)

// omitted are the stable and the beta metrics of kube-apiserver that the module does not have, and why.
var omitted = map[string]string{
	"apiserver_requested_deprecated_apis":     "an API does not know the release that removes a version",
	"apiserver_resource_objects":              noCount,
	"apiserver_storage_objects":               noCount,
	"apiserver_storage_size_bytes":            noCount,
	"apiserver_storage_events_received_total": noCount,
	"apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds": noReload,
	"apiserver_authentication_config_controller_automatic_reloads_total":                 noReload,
	"apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds":  noReload,
	"apiserver_authorization_config_controller_automatic_reloads_total":                  noReload,
	"apiserver_cel_compilation_duration_seconds":                                         "the observer does not see the compiler of expressions",
	"apiserver_cel_evaluation_duration_seconds":                                          "the observer sees the step of a write, and not each expression",
	"apiserver_validating_admission_policy_check_duration_seconds":                       noPolicies,
	"apiserver_validating_admission_policy_check_total":                                  noPolicies,
	"apiserver_validation_declarative_validation_mismatch_total":                         noSubject,
	"apiserver_validation_declarative_validation_panic_total":                            noSubject,
	"apiserver_watch_list_duration_seconds":                                              "the observer does not see the end of the initial events",
	"workqueue_adds_total":                                                               noQueue,
	"workqueue_depth":                                                                    noQueue,
	"workqueue_longest_running_processor_seconds":                                        noQueue,
	"workqueue_queue_duration_seconds":                                                   noQueue,
	"workqueue_retries_total":                                                            noQueue,
	"workqueue_unfinished_work_seconds":                                                  noQueue,
	"workqueue_work_duration_seconds":                                                    noQueue,
}
