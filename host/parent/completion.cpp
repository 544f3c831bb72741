#include "parent/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace judge {

namespace {

// A colon separates words for bash's readline, so that gemm:NN is three of them: the script takes the line apart
// itself, and hands back what stands behind the last colon.
constexpr const char* kBash = R"sh(# In ~/.bashrc: eval "$(build/compare --completion bash)"
_compare() {
    local line=${COMP_LINE:0:COMP_POINT} words cur='' prev
    read -ra words <<< "$line"
    if [[ $line != *' ' ]]; then
        cur=${words[-1]}
        unset 'words[-1]'
    fi
    prev=${words[-1]:-}
    case $prev in
CASES        *)
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W NAMES -- "$cur"))
            else
                COMPREPLY=($(compgen -f -- "$cur"))
            fi ;;
    esac
    if [[ $cur == *:* ]]; then COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}"); fi
}
complete -o filenames -F _compare compare sgemm-ladder-compare
)sh";

constexpr const char* kZsh = R"sh(#compdef compare sgemm-ladder-compare
# In ~/.zshrc, after compinit: eval "$(build/compare --completion zsh)"
_compare() {
    _arguments \
OPTIONS        '*:plugin:_files'
}
# As a file in fpath, where compinit finds it, this is the body of the function that completes.
if [[ ${funcstack[1]} == _* ]]; then _compare "$@"; else compdef _compare compare sgemm-ladder-compare; fi
)sh";

std::string in_place_of(const std::string& word, const std::string& text, std::string script) {
    return script.replace(script.find(word), word.size(), text);
}

// Between single quotes of a shell; fish, too, knows no other character there than these two.
std::string in_quotes(const std::string& text, bool fish = false) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += fish ? "\\'" : "'\\''";
        } else {
            result += fish && c == '\\' ? "\\\\" : std::string(1, c);
        }
    }
    return result + "'";
}

std::string bash_script(const std::vector<OptionEntry>& options) {
    std::string names, cases;
    for (const OptionEntry& option : options) {
        names += fmt::format("{}{}", names.empty() ? "" : " ", fmt::join(option.names, " "));
        if (option.value.empty()) continue;
        const std::string values =
            option.takes_file() ? "-f"
                                : fmt::format("-W {}", in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
        cases +=
            fmt::format("        {}) COMPREPLY=($(compgen {} -- \"$cur\")) ;;\n", fmt::join(option.names, "|"), values);
    }
    return in_place_of("NAMES", in_quotes(names), in_place_of("CASES", cases, kBash));
}

// What _arguments reads: brackets and colons mean something to it.
std::string zsh_text(const std::string& text) {
    std::string result;
    for (const char c : text) result += std::string(c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + c;
    return result;
}

std::string zsh_script(const std::vector<OptionEntry>& options) {
    std::string lines;
    for (const OptionEntry& option : options) {
        for (const std::string& name : option.names) {
            std::string text = fmt::format("*{}[{}]", name, zsh_text(option.description));
            if (option.takes_file()) {
                text += ":file:_files";
            } else if (!option.value.empty()) {
                const std::string action =
                    option.choices.empty()
                        ? " "
                        : fmt::format("({})", zsh_text(fmt::format("{}", fmt::join(option.choices, " "))));
                text += fmt::format(":{}:{}", zsh_text(option.value), action);
            }
            lines += fmt::format("        {} \\\n", in_quotes(text));
        }
    }
    return in_place_of("OPTIONS", lines, kZsh);
}

std::string fish_script(const std::vector<OptionEntry>& options) {
    std::string text = "# In ~/.config/fish/config.fish: build/compare --completion fish | source\n";
    for (const OptionEntry& option : options) {
        text += "complete -c compare";
        for (const std::string& name : option.names) {
            text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (option.takes_file()) {
            text += " -r";
        } else if (!option.value.empty()) {
            text += " -x";
            if (!option.choices.empty())
                text += " -a " + in_quotes(fmt::format("{}", fmt::join(option.choices, " ")), true);
        }
        text += " -d " + in_quotes(option.description, true) + "\n";
    }
    return text + "complete -c sgemm-ladder-compare -w compare\n";
}

}  // namespace

std::string completion_script(const std::vector<OptionEntry>& options, const std::string& shell) {
    if (shell == "bash") return bash_script(options);
    if (shell == "zsh") return zsh_script(options);
    return shell == "fish" ? fish_script(options) : "";
}

}  // namespace judge
