import type {JsonObject} from '../../../src/core/json.ts';

const text = {type: 'string'} as const;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({type: 'object', properties, ...more});
const draft7 = {$schema: 'http://json-schema.org/draft-07/schema#', additionalProperties: false} as const;
const draft2020 = {$schema: 'https://json-schema.org/draft/2020-12/schema'} as const;

/** Schemas in the shapes that twenty popular MCP servers list their tools with, by the name of a tool. Written by ourselves. */
export const popular: Readonly<Record<string, JsonObject>> = {
	// Generated from Zod, draft 7, arrays of objects with defaults.
	filesystem_edit_file: object(
		{
			path: text,
			edits: {
				type: 'array',
				items: object({oldText: text, newText: text}, {required: ['oldText', 'newText'], additionalProperties: false}),
			},
			dryRun: {type: 'boolean', default: false, description: 'Preview only'},
		},
		{required: ['path', 'edits'], ...draft7},
	),
	// An object without properties.
	filesystem_list_allowed_directories: {type: 'object'},
	memory_create_entities: object({
		entities: {
			type: 'array',
			items: object({name: text, entityType: text, observations: {type: 'array', items: text}}),
		},
	}),
	// Pydantic: unions with null, titles, defaults of null.
	fetch_fetch: object(
		{
			url: {format: 'uri', minLength: 1, title: 'Url', type: 'string'},
			max_length: {
				default: 5000,
				exclusiveMaximum: 1_000_000,
				exclusiveMinimum: 0,
				title: 'Max Length',
				type: 'integer',
			},
			start: {anyOf: [{type: 'integer'}, {type: 'null'}], default: null},
		},
		{required: ['url'], title: 'Fetch'},
	),
	git_git_log: {
		$defs: {Mode: {enum: ['short', 'full'], title: 'Mode', type: 'string'}},
		...object({repo_path: text, mode: {$ref: '#/$defs/Mode', default: 'short'}}),
	},
	// Enumerations of mixed types and constants.
	github_list_issues: object({
		owner: text,
		state: {enum: ['open', 'closed', null]},
		labels: {type: ['array', 'null'], items: text},
		perPage: {type: 'number', maximum: 100, minimum: 1},
	}),
	gitlab_create_note: object({noteable_type: {const: 'MergeRequest'}, body: text, position: {type: 'object'}}),
	// A block that contains blocks.
	notion_append_blocks: {
		...object({block_id: text, children: {type: 'array', items: {$ref: '#/definitions/block'}}}),
		definitions: {
			block: object({
				type: {type: 'string', enum: ['paragraph', 'toggle']},
				children: {type: 'array', items: {$ref: '#/definitions/block'}},
			}),
		},
	},
	slack_post_message: object({channel: text, blocks: {type: 'array'}, thread_ts: {type: ['string', 'null']}}),
	// Alternatives at the top.
	linear_create_issue: {
		oneOf: [
			object({teamId: text, title: text}, {required: ['teamId', 'title']}),
			object({teamKey: text, title: text}, {required: ['teamKey', 'title']}),
		],
	},
	sentry_search: {
		allOf: [object({organizationSlug: text}, {required: ['organizationSlug']}), {$ref: '#/$defs/Query'}],
		$defs: {Query: object({query: text}, {required: ['query']})},
	},
	// Maps.
	postgres_query: object({sql: text, params: {type: 'object', additionalProperties: {type: ['string', 'number']}}}),
	mongodb_find: object({filter: {type: 'object', additionalProperties: true}, projection: true, sort: {}}),
	// Tuples.
	playwright_drag: object({
		from: {type: 'array', items: [{type: 'number'}, {type: 'number'}], additionalItems: false},
		to: {type: 'array', prefixItems: [{type: 'number'}, {type: 'number'}]},
	}),
	puppeteer_evaluate: object({script: text, args: {type: 'array', items: true}}),
	stripe_create_payment: object({
		metadata: {type: 'object', patternProperties: {'^[a-z_]{1,40}$': text}},
		amount: {type: 'integer', exclusiveMinimum: true, minimum: 0},
	}),
	// Names of properties that few hosts take.
	appstore_list_builds: object(
		{'filter[app]': text, 'fields[builds]': {type: 'array', items: text}, include: text},
		{required: ['filter[app]']},
	),
	dynamics_query: object({
		$filter: text,
		$top: {type: 'integer'},
		options: object({'odata.maxpagesize': text, '@odata.type': text}),
	}),
	feishu_send: object({标题: text, 内容: object({文本: text}, {required: ['文本']})}, {required: ['标题']}),
	zapier_run: object({
		['instructions_for_the_action_that_is_run_in_the_connected_application_of_the_user']: text,
		required_by_draft_3: {type: 'string', required: true},
	}),
	kubernetes_apply: {
		...draft2020,
		...object({
			manifest: {oneOf: [text, object({apiVersion: text, kind: text})]},
			namespace: {type: 'string', default: 'default', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'},
		}),
		if: {required: ['namespace']},
		// biome-ignore lint/suspicious/noThenProperty: JSON Schema has a keyword of that name.
		then: object({dryRun: {type: 'boolean'}}),
	},
};
