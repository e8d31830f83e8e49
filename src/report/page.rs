//! A report as one page: everything in one file, no script, nothing from elsewhere.

use super::plots::{self, escape};
use super::{Expected, Group, LostGame, Report};
use std::path::Path;

/// How many colours the style sheet has.
const COLOURS: usize = 7;

/// How many games that were not won are listed for each group.
const LISTED: usize = 60;

/// The page. Pictures of games are linked from where the page is going to be, `folder`.
pub fn html(report: &Report, folder: &Path) -> String {
    let sections =
        [summary(report), rates(report), risk(report), losses(report, folder), time(report), streaks(report)];
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>minesight: {}</title>\n\
         <style>\n{}{}</style></head>\n<body><main>\n{}\n</main></body></html>\n",
        escape(&title(report)),
        include_str!("page.css"),
        colour_classes(),
        sections.join("\n")
    )
}

fn colour_classes() -> String {
    (0..COLOURS)
        .map(|n| format!(".fill{n} {{ fill: var(--c{n}) }} .line{n} {{ stroke: var(--c{n}) }} .dot{n} {{ background: var(--c{n}) }}\n"))
        .collect()
}

fn title(report: &Report) -> String {
    let mut clients: Vec<&str> = report.groups.iter().map(|group| group.kind.client.as_str()).collect();
    clients.dedup();
    let games: u64 = report.groups.iter().map(|group| group.games).sum();
    format!("{games} games of Minesweeper on {}", clients.join(", "))
}

/// A group in words, short enough for a heading.
fn name(group: &Group) -> String {
    format!("{} · {}", group.kind.client, group.kind.board())
}

fn coloured(report: &Report) -> impl Iterator<Item = (usize, &Group)> {
    report.groups.iter().enumerate().map(|(index, group)| (index % COLOURS, group))
}

fn summary(report: &Report) -> String {
    let sum = |count: fn(&Group) -> u64| report.groups.iter().map(count).sum::<u64>();
    let (games, wins, aborted) = (sum(|group| group.games), sum(|group| group.wins), sum(|group| group.aborted));
    let hours = report.groups.iter().flat_map(|group| &group.ms).sum::<f64>() / 3_600_000.0;
    let tile = |value: String, what: &str| format!("<div class=\"tile\"><b>{value}</b><span>{what}</span></div>");
    let tiles = [
        tile(games.to_string(), "games"),
        tile(wins.to_string(), "won"),
        tile(sum(|group| group.losses).to_string(), "lost"),
        tile(aborted.to_string(), "aborted"),
        tile(sum(|group| group.lost_on_certain).to_string(), "lost on a tile held to be safe"),
        tile(if hours < 1.0 { format!("{:.0} min", hours * 60.0) } else { format!("{hours:.1} h") }, "of playing"),
    ];
    let warnings: String =
        report.warnings.iter().map(|warning| format!("<p class=\"warn\">{}</p>", escape(warning))).collect();
    let rows: String = coloured(report).map(|(colour, group)| summary_row(group, colour)).collect();
    format!(
        "<h1>{}</h1><p class=\"soft\">Recorded by minesight {}; report made {}.</p><div class=\"tiles\">{}</div>{warnings}\
         <h2>Win rates</h2><p class=\"soft\">Wins among all games, aborted ones included, with Wilson's 95% interval. The \
         dashed mark is the rate of the same player in simulated games under the same first-click rule; p is the chance of \
         a difference this large if there is none.</p><div class=\"card scroll\"><table><tr><th>Run<th>Client<th>Level\
         <th>Player<th class=\"n\">Games<th class=\"n\">Won<th class=\"n\">Lost<th class=\"n\">Aborted<th class=\"n\">Rate\
         <th>0 – 100%<th class=\"n\">Simulated<th class=\"n\">p</tr>{rows}</table></div>",
        escape(&title(report)),
        escape(&report.version),
        escape(&report.made),
        tiles.concat()
    )
}

fn summary_row(group: &Group, colour: usize) -> String {
    let run = group.kind.run.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy().into_owned());
    let [low, high] = group.ci95.map(|share| 100.0 * share);
    let (expected, p) = match &group.expected {
        Some(Expected { win_rate, games, p_value, .. }) => {
            (format!("{:.1}% <span class=\"soft\">of {games}</span>", 100.0 * win_rate), format!("{p_value:.2}"))
        }
        None if group.kind.no_guess => ("<span class=\"soft\">needs no guess</span>".to_owned(), String::new()),
        None => ("–".to_owned(), String::new()),
    };
    format!(
        "<tr><td>{}<td><b>{}</b><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}\
         <td class=\"n\"><b>{:.1}%</b> <span class=\"soft\">[{low:.1}, {high:.1}]</span><td>{}<td class=\"n\">{expected}\
         <td class=\"n\">{p}</tr>",
        escape(&run),
        escape(&group.kind.client),
        escape(&group.kind.board()),
        escape(&group.kind.strategy),
        group.games,
        group.wins,
        group.losses,
        group.aborted,
        100.0 * group.win_rate,
        plots::interval(group, colour)
    )
}

fn rates(report: &Report) -> String {
    let cards = cards(report, plots::rate_over_games);
    format!(
        "<h2>Win rate over the games</h2><p class=\"soft\">The rate so far after every game and its 95% interval; dashed: \
         simulated.</p><div class=\"cards\">{cards}</div>"
    )
}

fn cards(report: &Report, plot: impl Fn(&Group, usize) -> String) -> String {
    let card = |(colour, group): (usize, &Group)| {
        format!("<div class=\"card\"><h3>{}</h3>{}</div>", escape(&name(group)), plot(group, colour))
    };
    coloured(report).map(card).collect()
}

fn risk(report: &Report) -> String {
    let guesses: u64 = report.risk.iter().map(|bin| bin.guesses).sum();
    let hits: u64 = report.risk.iter().map(|bin| bin.hits).sum();
    let predicted: f64 = report.risk.iter().map(|bin| bin.predicted * bin.guesses as f64).sum();
    let rows: String = report
        .risk
        .iter()
        .map(|bin| {
            let [low, high] = bin.ci95.map(|share| 100.0 * share);
            format!(
                "<tr><td class=\"n\">{:.1}%<td class=\"n\">{:.1}% <span class=\"soft\">[{low:.1}, {high:.1}]</span>\
                 <td class=\"n\">{}<td class=\"n\">{}</tr>",
                100.0 * bin.predicted,
                100.0 * bin.observed,
                bin.guesses,
                bin.hits
            )
        })
        .collect();
    format!(
        "<h2>Predicted and observed risk</h2><p class=\"soft\">Every guess after the first click: the risk the player saw, \
         and how often there was a mine. {guesses} guesses, {predicted:.1} mines predicted, {hits} hit.</p>\
         <div class=\"cards\"><div class=\"card\">{}</div><div class=\"card\"><table><tr><th class=\"n\">Predicted\
         <th class=\"n\">Observed<th class=\"n\">Guesses<th class=\"n\">Mines</tr>{rows}</table></div></div>",
        plots::risk(&report.risk)
    )
}

fn losses(report: &Report, folder: &Path) -> String {
    let row = |(_, group): (usize, &Group)| {
        if group.lost.is_empty() {
            return format!(
                "<div class=\"row\"><h3>{}</h3><p class=\"soft\">None was lost.</p></div>",
                escape(&name(group))
            );
        }
        let parts: Vec<(&str, f64)> = group.reasons.iter().map(|&(name, count)| (name, count as f64)).collect();
        let troubles: String = group
            .troubles
            .iter()
            .map(|(trouble, count)| format!("<p class=\"warn\">{count} aborted: {}</p>", escape(trouble)))
            .collect();
        let listed: String = group.lost.iter().take(LISTED).map(|lost| lost_row(lost, group, folder)).collect();
        let more = match group.lost.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!("<p class=\"soft\">and {more} more, in the run folder</p>"),
        };
        format!(
            "<div class=\"row\"><h3>{}</h3>{}{troubles}<details><summary class=\"soft\">Games that were not won</summary>\
             <table><tr><th>Game<th>Lost on<th class=\"n\">Predicted risk<th>Last picture</tr>{listed}</table>{more}\
             </details></div>",
            escape(&name(group)),
            plots::shares(&parts, |count| format!("{count:.0}"))
        )
    };
    let rows: String = coloured(report).map(row).collect();
    format!(
        "<h2>What games were lost on</h2><div class=\"card\">{rows}</div><h2>Guesses a game</h2><p class=\"soft\">Won games in \
         the group's colour, the others in grey on top.</p><div class=\"cards\">{}</div>",
        cards(report, plots::guesses)
    )
}

fn lost_row(lost: &LostGame, group: &Group, folder: &Path) -> String {
    // A kill may have come before the picture was written, and pictures may have been thrown away.
    let kept = lost.last_frame.as_ref().filter(|frame| group.kind.run.join(frame).exists());
    let picture = kept.map_or("–".to_owned(), |frame| {
        let path = relative(&group.kind.run.join(frame), folder);
        format!("<a href=\"{}\">{}</a>", escape(&path), escape(frame))
    });
    let risk = lost.risk.map_or("–".to_owned(), |risk| format!("{:.1}%", 100.0 * risk));
    format!("<tr><td>{}<td>{}<td class=\"n\">{risk}<td>{picture}</tr>", lost.game, escape(&lost.reason))
}

/// The way from a folder to a file, where both are known to the system; otherwise the file as it is.
fn relative(file: &Path, folder: &Path) -> String {
    let (Ok(file), Ok(folder)) = (std::path::absolute(file), std::path::absolute(folder)) else {
        return file.display().to_string();
    };
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| "..".to_owned());
    let down = file.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

fn time(report: &Report) -> String {
    let row = |(_, group): (usize, &Group)| {
        let mean = group.ms.iter().sum::<f64>() / (group.games as f64).max(1.0);
        let won = group.ms_median_won.map_or("–".to_owned(), |ms| format!("{:.2} s", ms / 1000.0));
        format!(
            "<div class=\"row\"><h3>{}</h3><p class=\"soft\">Median {:.2} s a game, {won} a won one; {:.1} clicks a second over \
             the whole game, {:.0} while clicking.</p>{}</div>",
            escape(&name(group)),
            group.ms_median / 1000.0,
            group.clicks_per_second,
            group.clicks_per_second_of_clicking,
            plots::shares(&plots::stage_parts(&group.stages, mean), |ms| format!("{ms:.0} ms"))
        )
    };
    let rows: String = coloured(report).map(row).collect();
    format!(
        "<h2>Time</h2><p class=\"soft\">Where the mean game's time goes.</p><div class=\"card\">{rows}</div><p></p>\
         <div class=\"cards\">{}</div>",
        cards(report, plots::times)
    )
}

fn streaks(report: &Report) -> String {
    let row = |(_, group): (usize, &Group)| {
        format!(
            "<div class=\"row\"><h3>{}</h3>{}<p class=\"soft\">Longest row of wins {} (about {:.1} expected of independent games); \
             longest without a win {}.</p></div>",
            escape(&name(group)),
            plots::strip(group),
            group.longest_wins,
            group.expected_longest_wins,
            group.longest_losses
        )
    };
    let rows: String = coloured(report).map(row).collect();
    format!(
        "<h2>Streaks</h2><p class=\"soft\">Every game in order: up is won, down is lost, grey is aborted.</p>\
         <div class=\"card\">{rows}</div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_found_from_where_the_page_is() {
        let frame = Path::new("/runs/a/frames/000001/last.png");
        assert_eq!(relative(frame, Path::new("/runs/a")), "frames/000001/last.png");
        assert_eq!(relative(frame, Path::new("/runs/b/pages")), "../../a/frames/000001/last.png");
    }
}
