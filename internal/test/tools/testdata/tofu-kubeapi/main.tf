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

resource "kubectl_manifest" "victory" {
  depends_on = [kubectl_manifest.definition]
  yaml_body = yamlencode({
    apiVersion = "fleet.example.com/v1"
    kind       = "Ship"
    metadata   = { name = "victory", namespace = "default" }
    spec       = { guns = 104 }
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
