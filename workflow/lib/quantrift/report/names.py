"""Names for people of what the configuration knows by id only."""

NAMES = {
    "hybridsn": "HybridSN",
    "ssrn": "SSRN",
    "lenet1": "LeNet-1",
    "lenet4": "LeNet-4",
    "lenet5": "LeNet-5",
    "cnn": "CNN",
    "mlp": "MLP",
    "resnet20": "ResNet-20",
    "plainnet20": "PlainNet-20",
    "vgg16": "VGG-16",
    "ptq_int8": "8-bit, after training",
    "qat_int8": "8-bit, in training",
    "linear_8bit": "8-bit, linear",
    "prune": "pruned",
    "distill": "distilled",
    "diverget": "DiverGet, mean of its tools",
    "pavia_university": "Pavia University",
    "salinas": "Salinas",
    "mnist": "MNIST",
    "cifar10": "CIFAR-10",
}
"""Id -> name, also of networks and compressions that only published rows mention."""
