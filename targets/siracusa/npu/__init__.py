"""N-Eureka NPU (v1): packed weights, jobs, and a functional model of its registers."""
