import * as z from 'zod/mini';
import {anyObject, text} from '../../contract/scalars.ts';

const identifier = z
	.string()
	.check(
		z.regex(/^[a-z][a-z\d_]{0,63}$/, {error: 'must be lower-case letters, digits and _, and begin with a letter'}),
	);

const variable = z
	.string()
	.check(z.regex(/^[A-Z][A-Z\d_]{0,63}$/, {error: 'must be capital letters, digits and _, and begin with a letter'}));

/** A program with its arguments. No shell is involved, so nothing in it is code except to the program itself. */
const program = z.array(text(1, 4096)).check(z.minLength(1), z.maxLength(100));

const inputTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

const inputSchema = z.strictObject({
	type: z.enum(inputTypes),
	description: z.optional(text(1, 1000)),
	/** Used if no value is given. An optional input without a default is omitted. */
	default: z.optional(z.unknown()),
	required: z._default(z.boolean(), false),
	/** Range of a number. */
	minimum: z.optional(z.number()),
	maximum: z.optional(z.number()),
	/** The allowed values. */
	choices: z.optional(z.array(z.union([z.string(), z.number()])).check(z.minLength(1), z.maxLength(100))),
});

const serviceSchema = z.strictObject({
	/**
	 * The variable that contains the service's port; by default `PORT` for an only service, `<NAME>_PORT` otherwise.
	 */
	env: z.optional(variable),
	/** The path of the URL. */
	path: z._default(z.string().check(z.regex(/^\/[!-~]{0,200}$/, {error: 'must begin with / and hold no blanks'})), '/'),
	protocol: z._default(z.enum(['http', 'https', 'ws', 'tcp']), 'http'),
});

/** A name of a host, or `*.` and the domain of all its hosts; with a port, or both of the web. */
const host = z.string().check(
	z.regex(/^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?::[1-9]\d{0,4})?$/, {
		error: 'must be a host, as example.com or *.example.com:8443',
	}),
);

/** The schema of `task.yaml`. Unknown fields are rejected, because they are misspelled ones. */
export const taskSchema = z.strictObject({
	name: z
		.string()
		.check(z.regex(/^[a-z\d][a-z\d._-]{0,99}$/, {error: 'must be lower-case letters, digits, dots, _ and -'})),
	version: z.string().check(z.regex(/^[\dA-Za-z][\dA-Za-z.+-]{0,63}$/, {error: 'must be a version, as 1.2.0'})),
	/** The slug of the owning organization; without one, the task is the server's own. */
	owner: z.optional(text(1, 200)),
	/** Whether other organizations may use it. */
	public: z._default(z.boolean(), false),
	description: z._default(z.string().check(z.maxLength(2000)), ''),
	inputs: z._default(z.record(identifier, inputSchema), {}),
	/**
	 * The instruction, in which `{{inputs.name}}`, `{{services.name.url}}` and `{{services.name.port}}` are filled in.
	 */
	instruction: z._default(z.string().check(z.maxLength(32_768)), ''),
	/** Programs that prepare the workspace, in order. */
	build: z._default(z.array(program).check(z.maxLength(50)), []),
	/** The main program. With services it must keep running; without, it may end with status 0. */
	command: program,
	services: z._default(z.record(identifier, serviceSchema), {}),
	/** The container image, on servers whose sandboxes are containers. */
	image: z.optional(
		z.string().check(
			z.regex(/^[a-z\d][\w.:/@-]{0,254}$/i, {
				error: 'must be the reference of an image, as registry.example/name:1.2',
			}),
		),
	),
	/** What it reaches: nothing (`none`, `services`), every address that the operator opens, or only these hosts, by a proxy. */
	network: z.optional(
		z.union([
			z.enum(['none', 'services', 'open']),
			z.strictObject({allow: z.array(host).check(z.minLength(1), z.maxLength(100))}),
		]),
	),
	/** The default time limit in seconds. */
	timeout_sec: z.optional(z.int().check(z.minimum(1))),
	memory_mb: z.optional(z.int().check(z.minimum(64), z.maximum(1_048_576))),
	/** How the work is verified; returned unchanged with the environment. */
	verification: z.optional(anyObject),
});

export type TaskDefinition = z.output<typeof taskSchema>;
export type TaskInput = z.output<typeof inputSchema>;
