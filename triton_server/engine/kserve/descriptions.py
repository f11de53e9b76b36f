"""What is said of the server and its models: metadata and configurations."""

from importlib.metadata import version

from tritonclient.grpc.model_config_pb2 import DataType, ModelConfig
from tritonclient.grpc.service_pb2 import ModelMetadataResponse, ServerMetadataResponse

from ..serving.models import ContractModel
from .tensors import VERSION, describe_dims

# Of Triton's extensions: the index of models, and the request parameter timeout (schedule_policy).
_EXTENSIONS = ["model_repository", "model_configuration", "parameters", "statistics", "schedule_policy"]
_PLATFORM = "tritonchat"


def describe_server() -> ServerMetadataResponse:
    """The name and the version of this program, which answers in Triton's place."""
    return ServerMetadataResponse(name="tritonchat", version=version("tritonchat"), extensions=_EXTENSIONS)


def describe_model(model: ContractModel) -> ModelMetadataResponse:
    """The inputs and outputs of a model."""
    described = ModelMetadataResponse(name=model.name, versions=[VERSION], platform=_PLATFORM)
    for specs, tensors in ((model.inputs, described.inputs), (model.outputs, described.outputs)):
        for spec in specs:
            tensors.add(name=spec.name, datatype=spec.datatype, shape=describe_dims(model, spec))
    return described


def configure_model(model: ContractModel) -> ModelConfig:
    """A model's configuration, as far as it has a meaning without Triton."""
    config = ModelConfig(name=model.name, backend=_PLATFORM, max_batch_size=model.max_rows)
    config.version_policy.latest.num_versions = 1
    if model.is_stream:
        config.model_transaction_policy.decoupled = True
    for spec in model.inputs:
        data_type = _find_type(spec.datatype)
        config.input.add(name=spec.name, data_type=data_type, dims=spec.dims, optional=spec.is_optional)
    for spec in model.outputs:
        config.output.add(name=spec.name, data_type=_find_type(spec.datatype), dims=spec.dims)
    return config


def _find_type(datatype: str) -> int:
    return DataType.Value("TYPE_STRING" if datatype == "BYTES" else f"TYPE_{datatype}")
