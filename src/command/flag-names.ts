import {entryOf} from '../core/entry-of.ts';
import {AppError} from '../core/error.ts';
import {fieldsOf, flagOf} from './arguments.ts';
import type {Command} from './context.ts';

/** The argument that carries a field of the API, if the command has one of that name; else one with the field's own name. */
const argumentNames: Readonly<Record<string, string>> = {
	action_id: 'action',
	assessment_id: 'assessment',
	capability_name: 'capabilityName',
	capability_version: 'capabilityVersion',
	current_task_id: 'currentTask',
	enabled_model_ids: 'model',
	environment_id: 'environment',
	evaluation_id: 'evaluation',
	execution_id: 'execution',
	finding_id: 'finding',
	inputs: 'input',
	item_id: 'item',
	item_type: 'type',
	key: 'name',
	key_id: 'key',
	model_overrides: 'modelOverride',
	name: 'title',
	page_size: 'pageSize',
	platform_session_id: 'platformSession',
	project_id: 'project',
	root_run_id: 'rootRun',
	run_id: 'run',
	runtime_id: 'runtime',
	secret_ids: 'secret',
	session_id: 'session',
	sort_by: 'sort',
	span_id: 'span',
	task_ref: 'task',
	timeout_sec: 'timeout',
	trace_id: 'trace',
	user_id: 'user',
};

const scopes: readonly string[] = ['org', 'workspace', 'project'];

/** A field in an error: with its place, or at the start of a sentence or clause about what it must be. */
const named =
	/\b(?:body|query|path)\.([\w.]+)|(?<=^|; |: )((?:\w+\.)*\w+)(?= (?:must|is required|is not known here)\b)/g;

/** Returns the error with the command's arguments in place of the API's fields. */
export function nameFlags(error: unknown, command: Command): unknown {
	if (!(error instanceof AppError)) {
		return error;
	}

	const message = error.message.replace(named, (field, placed?: string, plain?: string) => {
		return shownFor(placed ?? plain ?? '', command) ?? field;
	});
	if (message === error.message) {
		return error;
	}

	const {code, hint, permanent, retryAfter, logInTo} = error;
	return new AppError(code, message, {
		...(hint && {hint}),
		...(retryAfter !== undefined && {retryAfter}),
		permanent,
		logInTo,
		cause: error,
	});
}

/** Returns `<environment>` or `--timeout` for a field, with its inner path; undefined if no argument carries it. */
function shownFor(field: string, {args, positional = []}: Command): string | undefined {
	const [name = '', ...inner] = field.replace(/^provenance\./, '').split('.');
	const taken = [...fieldsOf(args).map(each => each.name), ...scopes];
	const argument = [entryOf(argumentNames, name), name].find(each => each !== undefined && taken.includes(each));
	if (argument === undefined) {
		return undefined;
	}

	const shown = positional.includes(argument) ? `<${flagOf(argument)}>` : `--${flagOf(argument)}`;
	return [shown, ...inner].join(' ');
}
