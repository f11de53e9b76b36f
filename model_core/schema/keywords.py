"""The keywords of JSON Schema, by what becomes of them."""

KINDS = ("null", "boolean", "number", "integer", "string", "array", "object")

# Keywords that say something about values of these kinds only.
KIND_KEYWORDS = {
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "array": ("prefixItems", "items", "minItems", "maxItems"),
    "object": (
        *("properties", "patternProperties", "additionalProperties", "required"),
        *("minProperties", "maxProperties"),
    ),
}
# Keywords that restrict values, and that no grammar here can enforce.
UNSUPPORTED = frozenset(
    (
        *("not", "if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas"),
        *("uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"),
        *("propertyNames", "unevaluatedProperties"),
    )
)
# The formats that llguidance knows (parser/src/json/formats.rs). `unknown` is any string.
FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri")
)
