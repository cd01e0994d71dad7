"""The N-Eureka NPU (v1): packed weights, jobs, and a model of what its registers do."""
