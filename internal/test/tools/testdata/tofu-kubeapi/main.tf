terraform {
  required_providers {
    kubectl = { source = "gavinbunney/kubectl" }
  }
}

variable "kubeconfig" { type = string }
variable "replicas" { type = number }

provider "kubectl" {
  config_path = var.kubeconfig
}

resource "kubectl_manifest" "definition" {
  yaml_body = file("definition.yaml")
}

resource "kubectl_manifest" "first" {
  depends_on = [kubectl_manifest.definition]
  yaml_body = yamlencode({
    apiVersion = "example.com/v1"
    kind       = "Widget"
    metadata   = { name = "first", namespace = "default" }
    spec       = { size = 80 }
  })
}

resource "kubectl_manifest" "web" {
  wait_for_rollout  = false
  server_side_apply = true
  yaml_body = yamlencode({
    apiVersion = "apps/v1"
    kind       = "Deployment"
    metadata   = { name = "web", namespace = "default" }
    spec = {
      replicas = var.replicas
      selector = { matchLabels = { app = "web" } }
      template = {
        metadata = { labels = { app = "web" } }
        spec     = { containers = [{ name = "web", image = "nginx" }] }
      }
    }
  })
}
