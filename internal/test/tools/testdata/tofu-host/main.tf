terraform {
  required_providers {
    kubectl = { source = "gavinbunney/kubectl" }
  }
}

variable "url" { type = string }
variable "replicas" { type = number }

provider "kubectl" {
  host             = var.url
  load_config_file = false
}

resource "kubectl_manifest" "shop" {
  yaml_body = yamlencode({
    apiVersion = "v1"
    kind       = "Namespace"
    metadata   = { name = "shop" }
  })
}

resource "kubectl_manifest" "orders" {
  depends_on = [kubectl_manifest.shop]
  yaml_body = yamlencode({
    apiVersion = "platform.example.com/v1"
    kind       = "Database"
    metadata   = { name = "orders", namespace = "shop" }
    spec       = { engine = "postgres", replicas = var.replicas }
  })
}
