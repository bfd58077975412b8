// Program oapi uses a client that oapi-codegen generated from the OpenAPI document of examples/quickstart. The argument
// is the address of the host.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("passed")
}

func run(ctx context.Context, url string) error {
	client, err := NewClientWithResponses(url)
	if err != nil {
		return err
	}
	version, kind, name, manager := "platform.example.com/v1", "Database", "orders", "oapi"
	created, err := client.CreatePlatformExampleComV1NamespacedDatabaseWithResponse(ctx, "default",
		&CreatePlatformExampleComV1NamespacedDatabaseParams{FieldManager: &manager},
		ComExamplePlatformV1Database{
			ApiVersion: &version, Kind: &kind,
			Metadata: &IoK8sApimachineryPkgApisMetaV1ObjectMeta{Name: &name},
			Spec:     MainDatabaseSpec{Engine: Postgres},
		})
	if err != nil {
		return err
	}
	if created.JSON201 == nil || *created.JSON201.Spec.Replicas != 1 || created.JSON201.Metadata.CreationTimestamp.IsZero() {
		return fmt.Errorf("created: %s %s", created.Status(), created.Body)
	}
	limit := 1
	listed, err := client.ListPlatformExampleComV1NamespacedDatabaseWithResponse(ctx, "default",
		&ListPlatformExampleComV1NamespacedDatabaseParams{Limit: &limit})
	if err != nil {
		return err
	}
	if listed.JSON200 == nil || len(listed.JSON200.Items) != 1 || *listed.JSON200.Items[0].Metadata.Name != name {
		return fmt.Errorf("listed: %s %s", listed.Status(), listed.Body)
	}
	patched, err := client.PatchPlatformExampleComV1NamespacedDatabaseWithBodyWithResponse(ctx, "default", name,
		&PatchPlatformExampleComV1NamespacedDatabaseParams{}, "application/merge-patch+json",
		strings.NewReader(`{"spec":{"replicas":3}}`))
	if err != nil {
		return err
	}
	if patched.JSON200 == nil || *patched.JSON200.Spec.Replicas != 3 {
		return fmt.Errorf("patched: %s %s", patched.Status(), patched.Body)
	}
	deleted, err := client.DeletePlatformExampleComV1NamespacedDatabaseWithResponse(ctx, "default", name,
		&DeletePlatformExampleComV1NamespacedDatabaseParams{}, IoK8sApimachineryPkgApisMetaV1DeleteOptions{})
	if err != nil {
		return err
	}
	if deleted.StatusCode() != 200 {
		return fmt.Errorf("deleted: %s %s", deleted.Status(), deleted.Body)
	}
	read, err := client.ReadPlatformExampleComV1NamespacedDatabaseWithResponse(ctx, "default", name,
		&ReadPlatformExampleComV1NamespacedDatabaseParams{})
	if err != nil {
		return err
	}
	if read.StatusCode() != 404 {
		return fmt.Errorf("read: %s %s", read.Status(), read.Body)
	}
	return nil
}
