//! The little Markdown that our own pages use: headings, paragraphs, tables, fences, and within a
//! line code, emphasis and links. Not for anybody else's text.

/// The page as HTML.
pub(super) fn html(text: &str) -> String {
    let mut html = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            html += &format!("<pre><code>{}</code></pre>\n", escaped(&code.join("\n")));
        } else if let Some((level, title)) = heading(line) {
            html += &format!("<h{level}>{}</h{level}>\n", inline(title));
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            html += &table(&rows);
        } else if !line.trim().is_empty() {
            let mut words = line.to_owned();
            while let Some(more) = lines.next_if(|line| is_plain(line)) {
                words.push(' ');
                words += more;
            }
            html += &format!("<p>{}</p>\n", inline(&words));
        }
    }
    html
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let (marks, title) = line.split_once(' ')?;
    let is_heading = !marks.is_empty() && marks.bytes().all(|byte| byte == b'#');
    is_heading.then_some((marks.len().min(6), title))
}

fn is_plain(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with(['|', '#', '`'])
}

/// The first row is the head, the second one only rules.
fn table(rows: &[&str]) -> String {
    let cells = |row: &str, tag: &str| {
        let row = row.trim().trim_start_matches('|');
        let row = row.strip_suffix('|').unwrap_or(row);
        let cells = row.split('|');
        let cells = cells.map(|cell| format!("<{tag}>{}</{tag}>", inline(cell.trim())));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let head = rows.first().map(|row| cells(row, "th"));
    let body: String = rows.iter().skip(2).map(|row| cells(row, "td")).collect();
    format!(
        "<table><thead>{}</thead><tbody>{body}</tbody></table>\n",
        head.unwrap_or_default()
    )
}

/// Code, emphasis and links within a line.
pub(super) fn inline(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, from) = rest.split_at(at);
        html += &escaped(before);
        let (made, after) = span(from);
        html += &made;
        rest = after;
    }
    html + &escaped(rest)
}

/// What begins at a mark, and what comes after it. A mark that begins nothing stands for itself.
fn span(from: &str) -> (String, &str) {
    let (mark, inside) = from.split_at(1);
    let closed = |end: &str| inside.split_once(end).filter(|(body, _)| !body.is_empty());
    match mark {
        "`" => {
            if let Some((body, after)) = closed("`") {
                return (format!("<code>{}</code>", escaped(body)), after);
            }
        }
        "*" => {
            if let Some((body, after)) = closed("*").filter(|(body, _)| body.trim() == *body) {
                return (format!("<em>{}</em>", inline(body)), after);
            }
        }
        _ => {
            let link = closed("](").and_then(|(label, to)| Some((label, to.split_once(')')?)));
            if let Some((label, (to, after))) = link {
                // Pages are served without the ending that they have as files.
                let to = to.strip_suffix(".md").unwrap_or(to);
                let to = match to.contains('/') {
                    true => to.to_owned(),
                    false => format!("/docs/errors/{to}"),
                };
                let link = format!("<a href=\"{}\">{}</a>", escaped(&to), inline(label));
                return (link, after);
            }
        }
    }
    (escaped(mark), inside)
}

/// Text that means nothing to a browser.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            letter => html.push(letter),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_our_pages_use_becomes_html() {
        for (text, wanted) in [
            ("# A `b`", "<h1>A <code>b</code></h1>\n"),
            ("one\ntwo\n\nthree", "<p>one two</p>\n<p>three</p>\n"),
            ("a < b & *c*", "<p>a &lt; b &amp; <em>c</em></p>\n"),
            (
                "[`x`](x.md)",
                "<p><a href=\"/docs/errors/x\"><code>x</code></a></p>\n",
            ),
            (
                "| a | b |\n|---|---|\n| 1 | 2 |",
                "<table><thead><tr><th>a</th><th>b</th></tr></thead>\
                 <tbody><tr><td>1</td><td>2</td></tr></tbody></table>\n",
            ),
            (
                "```json\n{\"a\": [1]}\n```",
                "<pre><code>{&quot;a&quot;: [1]}</code></pre>\n",
            ),
            ("30 3 * * *", "<p>30 3 * * *</p>\n"),
        ] {
            assert_eq!(html(text), wanted, "{text}");
        }
    }
}
