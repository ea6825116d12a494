import {fitHints} from '../../terminal/text/fit-parts.ts';
import {useApp, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {drawField, type FieldPanel} from './field-keys.ts';

/** Shows a one-line field. Enter confirms it, Esc cancels it. A low window shows the start of the label, and no keys. */
export function FieldView({panel, height}: {readonly panel: FieldPanel; readonly height: number}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const field = useApp(state => state.filter);
	const [first = '', ...others] = drawField(panel, field, {columns, height}).lines;
	const keys = palette.dim(`  ${fitHints(['Enter confirm', 'Esc cancel'], columns - 2)}`);
	return <Lines lines={[palette.accent('?') + first.slice(1), ...others, keys].slice(0, height)} />;
}
