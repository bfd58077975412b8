package kubeconfig_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/rest/kubeconfig"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "alice")
	err = kubeconfig.Write(path, kubeconfig.Entry{
		Name: "platform", Server: "https://platform.example.com/platform", User: "alice", Token: "secret",
		Namespace: "team-a",
	})
	if err != nil {
		log.Fatal(err)
	}
	config, err := kubeconfig.Load(kubeconfig.Options{}, path) // kubectl --kubeconfig reads it, too
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Context, config.Namespace, config.Server.URL)
	// Output: platform team-a https://platform.example.com/platform
}
