import {isHiddenByDraft, type OpenPanel} from '../../store/panel-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {useApp, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import type {PanelProps} from './panel.ts';
import {moduleOf} from './panels.ts';

/** Shows the open panel above the prompt. */
export function PanelView({panel, height, focusKey}: PanelProps<OpenPanel>) {
	const isHidden = useApp(isHiddenByDraft);
	const {draw: Draw, title} = moduleOf(panel);
	return isHidden ? (
		<Waiting title={title(panel)} focusKey={focusKey} />
	) : (
		<Draw key={panel.askedAt} panel={panel} height={height} focusKey={focusKey} />
	);
}

/** Shows in one row which panel waits beside the draft, and how to get there. */
function Waiting({title, focusKey}: {readonly title: string; readonly focusKey: string}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const hints = [...(focusKey ? [`${focusKey} answer`] : []), 'Esc cancel'];
	return <Lines lines={[palette.dim(fitTitle(`? ${safeLine(title)}`, {hints, role: String}, columns))]} />;
}
