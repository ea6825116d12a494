import type {Lenient} from '../../contract/lenient.ts';
import type {MessagePart} from '../../contract/resources/media.ts';
import {formatBytes} from '../../core/format.ts';

type Part = Lenient<MessagePart>;

/**
 * Returns the parts of a multimodal message as text, in order, each under its kind. Media are named, never fetched: an
 * artifact by its oid, others by their recorded fields (SAFETY 16).
 */
export function partsOf(parts: readonly Part[]): string {
	return parts.map(partOf).join('\n');
}

function partOf({kind = 'part', text, caption, transform, variant, source}: Part): string {
	const about = [variant, transform && `by ${transform}`].filter(Boolean).join(', ');
	const lines = [text, caption && `caption: ${caption}`, source && sourceOf(source)].filter(Boolean);
	return `[${about ? `${kind}, ${about}` : kind}] ${lines.join('\n')}`.trimEnd();
}

function sourceOf(source: NonNullable<Part['source']>): string {
	const {ref = 'artifact', artifact_oid: oid, url, file_id: file, filename, media_type: type, byte_size: size} = source;
	const place = ref === 'artifact' ? oid : ref === 'url' ? url : ref === 'file_id' ? file : (oid ?? url ?? file);
	const about = [filename, type, typeof size === 'number' && formatBytes(size), source.detail].filter(Boolean);
	const fetched = ref === 'artifact' ? '' : ' (on record only, not fetched)';
	return `${ref} ${place || 'without a name'}${fetched}${about.length > 0 ? ` · ${about.join(' · ')}` : ''}`;
}
