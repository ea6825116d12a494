/** What an attribute feeds, as `help traces` names it. */
type Feeds = 'scope' | 'sessions' | 'evaluations' | 'AIRT' | 'runs and items' | 'artifacts' | 'all';

type Row = {
	readonly type: 'text' | 'number' | 'flag' | 'JSON';
	readonly feeds: Feeds;
	readonly meaning: string;
};

/**
 * Every attribute that the server reads, of a span or of its resource: what is not here feeds nothing, and cannot be read,
 * because `AttributeKey` has no other. `gen_ai.*` are OpenTelemetry's GenAI semantic conventions. JSON comes as text, or
 * as lists and maps of OTLP. A key that ends in `*` stands for all fields of a resource, by their names in the API.
 */
export const attributeTable = {
	'service.workspace': {type: 'text', feeds: 'scope', meaning: 'Workspace by slug or id; else the first one.'},
	'service.project': {type: 'text', feeds: 'scope', meaning: 'Project by slug or id; else the first of the workspace.'},
	'service.span.type': {
		type: 'text',
		feeds: 'all',
		meaning:
			'What the span is, where no convention says it: `compaction`, `assessment`, `attack`, `trial`, `workflow_run`, or a word of your own that shows in the span types of an evaluation.',
	},
	'gen_ai.conversation.id': {
		type: 'text',
		feeds: 'sessions',
		meaning: 'The session. A UUID is its id; of other text an id is derived. Spans of the same user below inherit it.',
	},
	'gen_ai.operation.name': {
		type: 'text',
		feeds: 'sessions',
		meaning:
			'`chat`, `generate_content` and `text_completion` are messages with usage, `execute_tool` is a tool call. Usage of `invoke_agent` is not read: it repeats that of its messages.',
	},
	'gen_ai.provider.name': {type: 'text', feeds: 'sessions', meaning: 'The first half of `provider/model-name`.'},
	'gen_ai.system': {type: 'text', feeds: 'sessions', meaning: 'The older name of `gen_ai.provider.name`.'},
	'gen_ai.request.model': {type: 'text', feeds: 'sessions', meaning: 'The model, where the response names none.'},
	'gen_ai.response.model': {type: 'text', feeds: 'sessions', meaning: 'The model that answered; the price is its.'},
	'gen_ai.response.id': {
		type: 'text',
		feeds: 'sessions',
		meaning: 'The message; without it the span is one. Of several spans with one id the last one counts, whole.',
	},
	'gen_ai.usage.input_tokens': {
		type: 'number',
		feeds: 'sessions',
		meaning:
			'All input, with cached tokens, as the conventions say for every provider: both cache buckets are subtracted. Not of Anthropic where the cache came under its older names, nor where it is less than the two: then it is without them already.',
	},
	'gen_ai.usage.output_tokens': {type: 'number', feeds: 'sessions', meaning: 'Output, with what was thought.'},
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
		meaning: 'Where the last one is of the user, it counts as a message, and is the preview of the session.',
	},
	'gen_ai.agent.name': {type: 'text', feeds: 'sessions', meaning: 'The agent of the session.'},
	'gen_ai.tool.call.id': {type: 'text', feeds: 'sessions', meaning: 'A tool call; without it the span is one.'},
	'service.usage.cost_usd': {
		type: 'number',
		feeds: 'sessions',
		meaning: 'What a message cost in US dollars, where the price list of the server is not to be asked.',
	},
	'service.session.title': {type: 'text', feeds: 'sessions', meaning: 'Title of the session.'},
	'service.session.origin': {type: 'text', feeds: 'sessions', meaning: '`user`, `eval` or `worker`.'},
	'service.session.visibility': {
		type: 'text',
		feeds: 'sessions',
		meaning: '`private`, which it is by default, or `workspace`.',
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
	'service.evaluation.id': {type: 'text', feeds: 'evaluations', meaning: 'The evaluation. Spans below inherit it.'},
	'service.evaluation.item.id': {
		type: 'text',
		feeds: 'evaluations',
		meaning: 'An item of the evaluation, traced by this span and those below.',
	},
	'service.evaluation.item_count': {
		type: 'number',
		feeds: 'evaluations',
		meaning: 'How many items the evaluation has; those without a span are untraced.',
	},
	'service.airt.assessment.id': {
		type: 'text',
		feeds: 'AIRT',
		meaning: 'The assessment; of what is no UUID an id is derived. Spans below inherit it.',
	},
	'service.airt.assessment.*': {
		type: 'JSON',
		feeds: 'AIRT',
		meaning:
			'On a span of type `assessment`: `name`, `status`, `sandbox`, `target_model`, `description`. Its end completes the assessment, or fails it where its status is an error.',
	},
	'service.airt.attack.*': {
		type: 'JSON',
		feeds: 'AIRT',
		meaning:
			'On a span of type `attack`, which is one finding: any field of `FindingDetail`, and `asr`, `transforms`. What is missing comes of its trials: best score, candidate and response, counts, success.',
	},
	'service.airt.trial.*': {
		type: 'JSON',
		feeds: 'AIRT',
		meaning: 'On a span of type `trial` below an attack: any field of `TrialEvidence`.',
	},
	'service.workflow.run.id': {
		type: 'text',
		feeds: 'runs and items',
		meaning: 'The workflow run; its sessions are those of its spans. Spans of the same user below inherit it.',
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
			'What the claim of the run answered. Spans of an execution that lost the run to another are rejected; without it those of the user who claimed it pass.',
	},
	'service.workflow.unit': {type: 'text', feeds: 'runs and items', meaning: 'The part of the run that an item is of.'},
	'service.item.type': {
		type: 'text',
		feeds: 'runs and items',
		meaning: 'What an agent recorded: on a span, or on each of its events named `service.item`.',
	},
	'service.item.id': {
		type: 'text',
		feeds: 'runs and items',
		meaning:
			'The item: a UUID is its id, of other text one is derived. Recorded again, the later one counts. Without it, the span is the item.',
	},
	'service.item.data': {type: 'JSON', feeds: 'runs and items', meaning: 'The item itself, an object.'},
	'service.item.ref': {type: 'text', feeds: 'runs and items', meaning: 'A name by which others may refer to it.'},
	'service.item.schema_ref': {type: 'text', feeds: 'runs and items', meaning: 'Name of the schema of its data.'},
	'service.item.json_schema': {
		type: 'JSON',
		feeds: 'runs and items',
		meaning: 'The JSON Schema that a capability declares for the type; needs no data beside it.',
	},
	'service.capability.name': {type: 'text', feeds: 'runs and items', meaning: 'Who declares the schema.'},
	'service.capability.version': {type: 'text', feeds: 'runs and items', meaning: 'Its version.'},
	'dreadnode.artifacts': {
		type: 'JSON',
		feeds: 'artifacts',
		meaning: 'List of `{oid, filename, mime_type, size_bytes}`: the artifacts that may be resolved through the trace.',
	},
} as const satisfies Readonly<Record<string, Row>>;

export type AttributeKey = keyof typeof attributeTable;

/** The table for documentation, a row an attribute. */
export function attributeRows(): readonly (Row & {readonly key: string})[] {
	return Object.entries(attributeTable).map(([key, row]) => ({key, ...row}));
}
