//! A report as one page: everything in one file, no script, nothing from elsewhere.

use super::plots::{self, COLOURS};
use super::{Expected, Group, LostGame, Report};
use crate::page;
use maud::{Markup, html};
use std::path::{Path, PathBuf};

/// How many games that were not won are listed for each group.
const LISTED: usize = 60;

/// The page. Pictures and pages of games are linked from where it is going to be, `folder`.
pub fn html(report: &Report, folder: &Path) -> String {
    let body = html! {
        (summary(report))
        (rates(report))
        (risk(report))
        (losses(report, folder))
        (time(report))
        (streaks(report))
    };
    page::page(&title(report), &format!("{}{}", include_str!("page.css"), plots::style()), &body, &[])
}

/// Where the page of a game is, in the folder of its run.
pub fn game_page(run: &Path, game: u64) -> PathBuf {
    run.join("pages").join(format!("{game:06}.html"))
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
    report.groups.iter().enumerate().map(|(index, group)| (index % COLOURS.len(), group))
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// An interval in per cent, in brackets.
fn bounds([low, high]: [f64; 2]) -> Markup {
    html! { span.soft { (format!("[{:.1}, {:.1}]", 100.0 * low, 100.0 * high)) } }
}

fn summary(report: &Report) -> Markup {
    let sum = |count: fn(&Group) -> u64| report.groups.iter().map(count).sum::<u64>();
    let hours = report.groups.iter().flat_map(|group| &group.ms).sum::<f64>() / 3_600_000.0;
    let tiles = [
        (sum(|group| group.games).to_string(), "games"),
        (sum(|group| group.wins).to_string(), "won"),
        (sum(|group| group.losses).to_string(), "lost"),
        (sum(|group| group.aborted).to_string(), "aborted"),
        (sum(|group| group.lost_on_certain).to_string(), "lost on a tile held to be safe"),
        (if hours < 1.0 { format!("{:.0} min", hours * 60.0) } else { format!("{hours:.1} h") }, "of playing"),
    ];
    html! {
        h1 { (title(report)) }
        p.soft { "Recorded by minesight " (report.version) "; report made " (report.made) "." }
        div.tiles { @for (value, what) in tiles { div.tile { b { (value) } span { (what) } } } }
        @for warning in &report.warnings { p.warn { (warning) } }
        h2 { "Win rates" }
        p.soft {
            "Wins among all games, aborted ones included, with Wilson's 95% interval. The dashed mark is the rate of the same \
             player in simulated games under the same first-click rule; p is the chance of a difference this large if there is \
             none."
        }
        div.card.scroll {
            table {
                tr {
                    th { "Run" } th { "Client" } th { "Level" } th { "Player" } th.n { "Games" } th.n { "Won" } th.n { "Lost" }
                    th.n { "Aborted" } th.n { "Rate" } th { "0 – 100%" } th.n { "Simulated" } th.n { "p" }
                }
                @for (colour, group) in coloured(report) { (summary_row(group, colour)) }
            }
        }
    }
}

fn summary_row(group: &Group, colour: usize) -> Markup {
    let run = group.kind.run.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy().into_owned());
    html! {
        tr {
            td { (run) } td { b { (group.kind.client) } } td { (group.kind.board()) } td { (group.kind.strategy) }
            td.n { (group.games) } td.n { (group.wins) } td.n { (group.losses) } td.n { (group.aborted) }
            td.n { b { (percent(group.win_rate)) } " " (bounds(group.ci95)) }
            td { (plots::interval(group, colour)) }
            @match &group.expected {
                Some(Expected { win_rate, games, p_value, .. }) => {
                    td.n { (percent(*win_rate)) " " span.soft { "of " (games) } } td.n { (format!("{p_value:.2}")) }
                }
                None if group.kind.no_guess => { td.n { span.soft { "needs no guess" } } td.n {} }
                None => { td.n { "–" } td.n {} }
            }
        }
    }
}

fn rates(report: &Report) -> Markup {
    html! {
        h2 { "Win rate over the games" }
        p.soft { "The rate so far after every game and its 95% interval; dashed: simulated." }
        (cards(report, plots::rate_over_games))
    }
}

fn cards(report: &Report, plot: impl Fn(&Group, usize) -> Markup) -> Markup {
    html! {
        div.cards { @for (colour, group) in coloured(report) { div.card { h3 { (name(group)) } (plot(group, colour)) } } }
    }
}

fn risk(report: &Report) -> Markup {
    let guesses: u64 = report.risk.iter().map(|bin| bin.guesses).sum();
    let hits: u64 = report.risk.iter().map(|bin| bin.hits).sum();
    let predicted: f64 = report.risk.iter().map(|bin| bin.predicted * bin.guesses as f64).sum();
    html! {
        h2 { "Predicted and observed risk" }
        p.soft {
            "Every guess after the first click: the risk the player saw, and how often there was a mine. " (guesses)
            " guesses, " (format!("{predicted:.1}")) " mines predicted, " (hits) " hit."
        }
        div.cards {
            div.card { (plots::risk(&report.risk)) }
            div.card {
                table {
                    tr { th.n { "Predicted" } th.n { "Observed" } th.n { "Guesses" } th.n { "Mines" } }
                    @for bin in &report.risk {
                        tr {
                            td.n { (percent(bin.predicted)) }
                            td.n { (percent(bin.observed)) " " (bounds(bin.ci95)) }
                            td.n { (bin.guesses) } td.n { (bin.hits) }
                        }
                    }
                }
            }
        }
    }
}

fn losses(report: &Report, folder: &Path) -> Markup {
    html! {
        h2 { "What games were lost on" }
        div.card { @for (_, group) in coloured(report) { (losses_of(group, folder)) } }
        h2 { "Guesses a game" }
        p.soft { "Won games in the group's colour, the others in grey on top." }
        (cards(report, plots::guesses))
    }
}

fn losses_of(group: &Group, folder: &Path) -> Markup {
    let parts: Vec<(&str, f64)> = group.reasons.iter().map(|&(name, count)| (name, count as f64)).collect();
    let shown: Vec<(u64, String)> =
        group.numbers.iter().filter_map(|&game| Some((game, page_of(group, game, folder)?))).collect();
    html! {
        div.row {
            h3 { (name(group)) }
            @if group.lost.is_empty() { p.soft { "None was lost." } } @else {
                (plots::shares(&parts, |count| format!("{count:.0}")))
                @for (trouble, count) in &group.troubles { p.warn { (count) " aborted: " (trouble) } }
                details {
                    summary.soft { "Games that were not won" }
                    div.scroll {
                        table {
                            tr { th { "Game" } th { "Lost on" } th.n { "Predicted risk" } th { "Last picture" } th { "Step by step" } }
                            @for lost in group.lost.iter().take(LISTED) { (lost_row(lost, group, folder)) }
                        }
                    }
                    @if group.lost.len() > LISTED { p.soft { "and " (group.lost.len() - LISTED) " more, in the run folder" } }
                }
            }
            @if !shown.is_empty() {
                details {
                    summary.soft { "Games step by step" }
                    p { @for (game, page) in shown { a href=(page) { "game " (game) } " " } }
                }
            }
        }
    }
}

fn lost_row(lost: &LostGame, group: &Group, folder: &Path) -> Markup {
    // A kill may have come before the picture was written, and pictures may have been thrown away.
    let kept = lost.last_frame.as_ref().filter(|frame| group.kind.run.join(frame).exists());
    html! {
        tr {
            td { (lost.game) } td { (lost.reason) }
            td.n { (lost.risk.map_or("–".to_owned(), percent)) }
            td { @if let Some(frame) = kept { a href=(relative(&group.kind.run.join(frame), folder)) { (frame) } } @else { "–" } }
            td { @if let Some(page) = page_of(group, lost.game, folder) { a href=(page) { "page" } } @else { "–" } }
        }
    }
}

/// The way to the page of a game, if there is one.
fn page_of(group: &Group, game: u64, folder: &Path) -> Option<String> {
    let page = game_page(&group.kind.run, game);
    page.exists().then(|| relative(&page, folder))
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

fn time(report: &Report) -> Markup {
    let row = |group: &Group| {
        let mean = group.ms.iter().sum::<f64>() / (group.games as f64).max(1.0);
        let won = group.ms_median_won.map_or("–".to_owned(), |ms| format!("{:.2} s", ms / 1000.0));
        html! {
            div.row {
                h3 { (name(group)) }
                p.soft {
                    "Median " (format!("{:.2}", group.ms_median / 1000.0)) " s a game, " (won) " a won one; "
                    (format!("{:.1}", group.clicks_per_second)) " clicks a second over the whole game, "
                    (format!("{:.0}", group.clicks_per_second_of_clicking)) " while clicking."
                }
                (plots::shares(&plots::stage_parts(&group.stages, mean), |ms| format!("{ms:.0} ms")))
            }
        }
    };
    html! {
        h2 { "Time" }
        p.soft { "Where the mean game's time goes." }
        div.card { @for group in &report.groups { (row(group)) } }
        p {}
        (cards(report, plots::times))
    }
}

fn streaks(report: &Report) -> Markup {
    html! {
        h2 { "Streaks" }
        p.soft { "Every game in order: up is won, down is lost, grey is aborted." }
        div.card {
            @for group in &report.groups {
                div.row {
                    h3 { (name(group)) }
                    (plots::strip(group))
                    p.soft {
                        "Longest row of wins " (group.longest_wins) " (about " (format!("{:.1}", group.expected_longest_wins))
                        " expected of independent games); longest without a win " (group.longest_losses) "."
                    }
                }
            }
        }
    }
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
