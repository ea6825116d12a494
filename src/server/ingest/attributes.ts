/** What an attribute is used for, as `help traces` names it. */
type Feeds = 'scope' | 'sessions' | 'evaluations' | 'AIRT' | 'runs and items' | 'artifacts' | 'all';

type Row = {
	readonly type: 'text' | 'number' | 'flag' | 'JSON';
	readonly feeds: Feeds;
	readonly meaning: string;
};

/**
 * Every attribute that the server reads, from spans or resources. Other attributes are ignored, and `AttributeKey`
 * prevents code from reading them. `gen_ai.*` are OpenTelemetry's GenAI semantic conventions. JSON arrives as text, or
 * as OTLP's lists and maps. A key that ends with `*` stands for all fields of a resource, named as in the API.
 */
export const attributeTable = {
	'service.workspace': {type: 'text', feeds: 'scope', meaning: 'Workspace by slug or id; by default the oldest one.'},
	'service.project': {
		type: 'text',
		feeds: 'scope',
		meaning: 'Project by slug or id; by default the oldest of the workspace.',
	},
	'service.span.type': {
		type: 'text',
		feeds: 'all',
		meaning:
			'What the span is, if no convention says so: `compaction`, `assessment`, `attack`, `trial`, `workflow_run`, or your own word, which appears in the span types of an evaluation.',
	},
	'gen_ai.conversation.id': {
		type: 'text',
		feeds: 'sessions',
		meaning: 'The session. A UUID is its id; other text gives a derived id. Descendants by the same user inherit it.',
	},
	'gen_ai.operation.name': {
		type: 'text',
		feeds: 'sessions',
		meaning:
			'`chat`, `generate_content` and `text_completion` are messages with usage, `execute_tool` is a tool call. Usage of `invoke_agent` is ignored, because it repeats that of its messages.',
	},
	'gen_ai.provider.name': {type: 'text', feeds: 'sessions', meaning: 'The first half of `provider/model-name`.'},
	'gen_ai.system': {type: 'text', feeds: 'sessions', meaning: 'The older name of `gen_ai.provider.name`.'},
	'gen_ai.request.model': {type: 'text', feeds: 'sessions', meaning: 'The model, if the response names none.'},
	'gen_ai.response.model': {
		type: 'text',
		feeds: 'sessions',
		meaning: 'The model that responded, which decides the price.',
	},
	'gen_ai.response.id': {
		type: 'text',
		feeds: 'sessions',
		meaning: 'The message; without it the span is the message. If several spans have the id, the last one counts.',
	},
	'gen_ai.usage.input_tokens': {
		type: 'number',
		feeds: 'sessions',
		meaning:
			'All input including cached tokens, as the conventions say for every provider; both cache counts are subtracted. Exception: Anthropic with the older cache names, or with less input than cache, already excludes them.',
	},
	'gen_ai.usage.output_tokens': {type: 'number', feeds: 'sessions', meaning: 'Output, including reasoning.'},
	'gen_ai.usage.cache_read.input_tokens': {type: 'number', feeds: 'sessions', meaning: 'Input read from the cache.'},
	'gen_ai.usage.cache_creation.input_tokens': {
		type: 'number',
		feeds: 'sessions',
		meaning: 'Input written to the cache.',
	},
	'gen_ai.usage.cache_read_input_tokens': {
		type: 'number',
		feeds: 'sessions',
		meaning: 'The older name of `cache_read.input_tokens`.',
	},
	'gen_ai.usage.cache_creation_input_tokens': {
		type: 'number',
		feeds: 'sessions',
		meaning: 'The older name of `cache_creation.input_tokens`.',
	},
	'gen_ai.input.messages': {
		type: 'JSON',
		feeds: 'sessions',
		meaning: 'If the last one is from the user, it counts as a message and becomes the session’s preview.',
	},
	'service.input.message_ids': {
		type: 'JSON',
		feeds: 'sessions',
		meaning:
			'List of the ids of the user’s messages that this request is the first to carry: each counts once, and `gen_ai.input.messages` only gives the preview.',
	},
	'service.usage.only': {
		type: 'flag',
		feeds: 'sessions',
		meaning:
			'The span gave the session no message, such as a request for a summary, or anything of a sub-agent: only its usage counts.',
	},
	'service.usage.cause': {
		type: 'text',
		feeds: 'sessions',
		meaning: 'What a request was for. One for a `task` of a sub-agent is not the last generation of the session.',
	},
	'gen_ai.agent.name': {type: 'text', feeds: 'sessions', meaning: 'The agent of the session.'},
	'gen_ai.tool.call.id': {type: 'text', feeds: 'sessions', meaning: 'A tool call; without it the span is the call.'},
	'service.usage.cost_usd': {
		type: 'number',
		feeds: 'sessions',
		meaning: 'What a message cost in US dollars, instead of the server’s own prices.',
	},
	'service.session.title': {type: 'text', feeds: 'sessions', meaning: 'Title of the session.'},
	'service.session.origin': {type: 'text', feeds: 'sessions', meaning: '`user`, `eval` or `worker`.'},
	'service.session.visibility': {
		type: 'text',
		feeds: 'sessions',
		meaning: '`private` (the default) or `workspace`.',
	},
	'service.session.labels': {type: 'JSON', feeds: 'sessions', meaning: 'Object of lists of text.'},
	'service.session.archived': {
		type: 'flag',
		feeds: 'sessions',
		meaning: 'Archives the session at the end of the span.',
	},
	'service.session.frozen_by': {
		type: 'text',
		feeds: 'sessions',
		meaning: '`evaluation` or `user`: freezes the session at the end of the span.',
	},
	'service.runtime.id': {type: 'text', feeds: 'sessions', meaning: 'UUID of the runtime that the session runs in.'},
	'service.evaluation.id': {type: 'text', feeds: 'evaluations', meaning: 'The evaluation. Descendants inherit it.'},
	'service.evaluation.item.id': {
		type: 'text',
		feeds: 'evaluations',
		meaning: 'An item of the evaluation, traced by this span and its descendants.',
	},
	'service.evaluation.item_count': {
		type: 'number',
		feeds: 'evaluations',
		meaning: 'Number of items in the evaluation; those without a span are untraced.',
	},
	'service.airt.assessment.id': {
		type: 'text',
		feeds: 'AIRT',
		meaning: 'The assessment. A UUID is its id; other text gives a derived id. Descendants inherit it.',
	},
	'service.airt.assessment.*': {
		type: 'JSON',
		feeds: 'AIRT',
		meaning:
			'On a span of type `assessment`: `name`, `status`, `sandbox`, `target_model`, `description`. Its end completes the assessment, or fails it if its status is an error.',
	},
	'service.airt.attack.*': {
		type: 'JSON',
		feeds: 'AIRT',
		meaning:
			'On a span of type `attack`, which is one finding: any field of `FindingDetail`, and `asr`, `transforms`. Missing fields come from its trials: best score, candidate and response, counts, success.',
	},
	'service.airt.trial.*': {
		type: 'JSON',
		feeds: 'AIRT',
		meaning: 'On a span of type `trial` below an attack: any field of `TrialEvidence`.',
	},
	'service.workflow.run.id': {
		type: 'text',
		feeds: 'runs and items',
		meaning: 'The workflow run; its sessions are those of its spans. Descendants by the same user inherit it.',
	},
	'service.workflow.run.title': {type: 'text', feeds: 'runs and items', meaning: 'Title of the run.'},
	'service.workflow.run.status': {
		type: 'text',
		feeds: 'runs and items',
		meaning: '`pending` (waits for a claim), `running` (the default), `completed` or `failed`; it never goes back.',
	},
	'service.workflow.execution.id': {
		type: 'text',
		feeds: 'runs and items',
		meaning:
			'The id that the claim of the run returned. Spans with another id are rejected, and spans without one unless they come from the user who claimed it.',
	},
	'service.workflow.unit': {
		type: 'text',
		feeds: 'runs and items',
		meaning: 'The part of the run that an item belongs to.',
	},
	'service.item.type': {
		type: 'text',
		feeds: 'runs and items',
		meaning: 'The type of an item that an agent recorded: on a span, or on each of its events named `service.item`.',
	},
	'service.item.id': {
		type: 'text',
		feeds: 'runs and items',
		meaning:
			'The item. A UUID is its id; other text gives a derived id. If it is recorded again, the later one counts. Without it, the span is the item.',
	},
	'service.item.data': {type: 'JSON', feeds: 'runs and items', meaning: 'The item itself, an object.'},
	'service.item.ref': {type: 'text', feeds: 'runs and items', meaning: 'A name that other items can refer to.'},
	'service.item.schema_ref': {type: 'text', feeds: 'runs and items', meaning: 'Name of the schema of its data.'},
	'service.item.json_schema': {
		type: 'JSON',
		feeds: 'runs and items',
		meaning: 'The JSON Schema that a capability declares for the type; no data is required with it.',
	},
	'service.capability.name': {
		type: 'text',
		feeds: 'runs and items',
		meaning: 'The capability that declares the schema.',
	},
	'service.capability.version': {type: 'text', feeds: 'runs and items', meaning: 'Its version.'},
	'dreadnode.artifacts': {
		type: 'JSON',
		feeds: 'artifacts',
		meaning: 'List of `{oid, filename, mime_type, size_bytes}`: the artifacts that can be resolved through the trace.',
	},
} as const satisfies Readonly<Record<string, Row>>;

export type AttributeKey = keyof typeof attributeTable;

/** Returns the table for the documentation, one row for each attribute. */
export function attributeRows(): readonly (Row & {readonly key: string})[] {
	return Object.entries(attributeTable).map(([key, row]) => ({key, ...row}));
}
