const draft = 'https://json-schema.org/draft/2020-12/schema';

const text = {type: 'string'};
const nonEmpty = {type: 'string', minLength: 1};

function objectOf(title: string, required: readonly string[], properties: Readonly<Record<string, object>>) {
	return {$schema: draft, title, type: 'object', required, properties, additionalProperties: true};
}

/** JSON Schemas of common item types, which work without a capability. All allow additional fields. */
export const builtInSchemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
	findings: objectOf('Finding', ['title', 'severity'], {
		title: nonEmpty,
		severity: {enum: ['info', 'low', 'medium', 'high', 'critical']},
		description: text,
		location: {...text, description: 'Where it is: a file and line, an address, a component.'},
		evidence: {type: 'array', items: text},
		recommendation: text,
		confidence: {type: 'number', minimum: 0, maximum: 1},
	}),
	notes: objectOf('Note', ['text'], {
		text: nonEmpty,
		title: text,
		tags: {type: 'array', items: text},
	}),
	tasks: objectOf('Task', ['title'], {
		title: nonEmpty,
		status: {enum: ['open', 'doing', 'done', 'dropped']},
		description: text,
		assignee: text,
	}),
	assets: objectOf('Asset', ['name', 'kind'], {
		name: nonEmpty,
		kind: {...nonEmpty, description: 'Such as `host`, `service`, `repository`, `dataset`.'},
		address: text,
		properties: {type: 'object'},
	}),
	reports: objectOf('Report', ['title', 'body'], {
		title: nonEmpty,
		body: {...nonEmpty, description: 'Markdown.'},
		summary: text,
	}),
};
